"""The log of a worker says which task wrote a line, and which request the task comes from."""

import json
import time
from pathlib import Path

import pytest

from pipeline.jobs import queue
from pipeline.models import Run
from rarrweb.log_lines import current
from tests.support.factories import make_revision, make_run
from tests.support.worker_process import StartWorker

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]


def test_lines_of_a_task_name_it_and_its_request(start_worker: StartWorker, tmp_path: Path) -> None:
    run = make_run(state=Run.State.RUNNING)
    make_revision(run)
    token = current.set({"request_id": "the-request"})
    assert queue.send_unsent(run.pk) == 1
    current.reset(token)
    scripted = {"SCRIPT_LOG": str(tmp_path / "script.log"), "RARR_LOG": "json"}
    worker = start_worker(app="tests.support.worker_app", environment=scripted)
    deadline = time.monotonic() + 300
    # The worker's own sweep logs too, and comes from no request.
    while not (
        found := [
            line
            for line in lines(worker.log)
            if "request_id" in line and line["logger"] == "rarrweb.tasks"
        ]
    ):
        assert time.monotonic() < deadline, worker.log.read_text()
        time.sleep(0.1)
    assert found[0]["request_id"] == "the-request"
    assert found[0]["task"] == queue.REVISE_PASSAGE
    assert len(found[0]["task_id"]) == 36
    assert found[0]["message"] == f"{queue.REVISE_PASSAGE} SUCCESS"


def lines(log: Path) -> list[dict[str, str]]:
    """Those of the log that are JSON; Celery's banner is none."""
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
