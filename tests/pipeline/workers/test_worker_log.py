"""The log of a worker says which task wrote a line, and which request the task comes from."""

import json
from pathlib import Path

import pytest

from pipeline.jobs import queue
from pipeline.models import Run
from rarrweb.log_lines import current
from tests.support.factories import make_revision, make_run
from tests.support.worker_process import StartWorker, wait_until

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]


def test_lines_of_a_task_name_it_and_its_request(start_worker: StartWorker, tmp_path: Path) -> None:
    run = make_run(state=Run.State.RUNNING)
    make_revision(run)
    token = current.set({"request_id": "the-request"})
    assert queue.send_unsent(run.pk) == 1
    current.reset(token)
    scripted = {"SCRIPT_LOG": str(tmp_path / "script.log"), "RARR_LOG": "json"}
    worker = start_worker(app="tests.support.worker_app", environment=scripted)
    wait_until(lambda: bool(lines_of_tasks(worker.log)), because="the log has no line of a task")
    line = lines_of_tasks(worker.log)[0]
    assert line["request_id"] == "the-request"
    assert line["task"] == queue.REVISE_PASSAGE
    assert len(line["task_id"]) == 36
    assert line["message"] == f"{queue.REVISE_PASSAGE} SUCCESS"


def lines_of_tasks(log: Path) -> list[dict[str, str]]:
    """Without Celery's banner, and what the worker's own sweep writes, which has no request."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return [line for line in lines if "request_id" in line and line["logger"] == "rarrweb.tasks"]
