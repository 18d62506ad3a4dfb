"""Queues and workers of `manage.py serve`."""

from pipeline.jobs.queue import QUEUES
from rarrweb.celery import LONG, SHORT, app
from rarrweb.operations.process_manager import WORKERS


def test_each_kind_of_work_is_taken_by_one_worker() -> None:
    app.loader.import_default_modules()  # other apps register tasks of their own
    taken = [queue for options in WORKERS.values() for queue in options["queues"].split(",")]
    assert sorted(taken) == sorted({*SHORT, *LONG})
    assert set(QUEUES.values()) == set(taken) == {queue.name for queue in app.conf.task_queues}
