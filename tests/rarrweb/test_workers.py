"""Queues of workers, and their share of the cores."""

from types import SimpleNamespace

import pytest
from pytest_django import Settings

from pipeline import tasks
from pipeline.backends.compact.reader import model
from pipeline.jobs.queue import QUEUES
from rarrweb import celery
from rarrweb.celery import LONG, SHORT, app
from rarrweb.operations.process_manager import WORKERS


@pytest.mark.parametrize(
    ("cores", "processes", "threads"), [(8, 8, 1), (8, 2, 4), (2, 8, 1), (1, 1, 1), (4, 0, 4)]
)
def test_each_process_gets_its_share_and_at_least_one(
    monkeypatch: pytest.MonkeyPatch, cores: int, processes: int, threads: int
) -> None:
    monkeypatch.setattr(celery, "cores", lambda: cores)
    assert celery.threads_per_process(processes) == threads


@pytest.mark.parametrize(("wanted", "threads"), [(0, 2), (5, 5)])
def test_a_starting_worker_tells_the_models(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, wanted: int, threads: int
) -> None:
    monkeypatch.setattr(model, "_process", model._ReaderState())
    monkeypatch.setattr(celery, "cores", lambda: 8)
    settings.RARR_THREADS = wanted
    settings.RARR_DEVICE = "cpu"
    tasks.divide_cores(instance=SimpleNamespace(concurrency=4))
    assert (model._process.threads, model._process.device) == (threads, "cpu")


def test_each_kind_of_work_is_taken_by_one_worker() -> None:
    app.loader.import_default_modules()  # other apps register tasks of their own
    taken = [queue for options in WORKERS.values() for queue in options["queues"].split(",")]
    assert sorted(taken) == sorted({*SHORT, *LONG})
    assert set(QUEUES.values()) == set(taken) == {queue.name for queue in app.conf.task_queues}
