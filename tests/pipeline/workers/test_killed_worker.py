"""A worker killed in mid-run loses nothing and repeats nothing that was finished."""

import shutil
from pathlib import Path

import pytest
from django.conf import settings

from pipeline.engine.configuration import RunConfig
from pipeline.models import Corpus, Passage, Revision, Run
from pipeline.runs import start
from tests.support.factories import make_corpus, make_dataset
from tests.support.worker_process import StartWorker, empty_the_queue, wait_until

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]

PASSAGES = 200
KILL_AT = (30, 60, 90)
"""How many passages are done when the worker is killed."""


@pytest.fixture
def run() -> Run:
    dataset = make_dataset()
    Passage.objects.bulk_create(
        Passage(dataset=dataset, external_id=f"p{n}", text=f"text {n}", content_hash=str(n))
        for n in range(PASSAGES)
    )
    return start.start_run(
        dataset=dataset,
        corpus=make_corpus(state=Corpus.State.READY),
        config=RunConfig.from_settings(system="rarr", overrides={}),
        created_by=None,
    )


def wait_for(run: Run, *, done: int) -> None:
    finished = Revision.objects.filter(run=run, state=Revision.State.DONE)
    wait_until(lambda: finished.count() >= done, because="the run stands still")


def test_a_worker_killed_three_times_ends_with_every_passage_revised_once(
    start_worker: StartWorker, run: Run, tmp_path: Path
) -> None:
    log = tmp_path / "script.log"
    scripted = {"SCRIPT_LOG": str(log), "SCRIPT_SECONDS": "0.04"}
    for done in KILL_AT:
        worker = start_worker(app="tests.support.worker_app", environment=scripted)
        wait_for(run, done=done)
        worker.kill()
        left = Revision.objects.filter(run=run).exclude(state=Revision.State.DONE)
        assert left.exists(), "it was killed too late to show anything"
        if done == KILL_AT[1]:
            empty_the_queue()
            shutil.rmtree(settings.QUEUE_DIR, ignore_errors=True)
    start_worker(app="tests.support.worker_app", environment=scripted)
    wait_for(run, done=PASSAGES)

    finished = Run.objects.filter(pk=run.pk, state=Run.State.FINISHED)
    wait_until(finished.exists, because="the run does not end")
    states = Revision.objects.filter(run=run).values_list("state", flat=True)
    assert list(states) == [Revision.State.DONE] * PASSAGES
    recorded: set[str] = set()
    for word, passage in map(str.split, log.read_text().splitlines()):
        assert passage not in recorded, f"{passage} was {word} again after it was recorded"
        if word == "recorded":
            recorded.add(passage)
    # A kill between the commit and the line in the log may cost a line, never a result.
    assert len(recorded) >= PASSAGES - 2 * len(KILL_AT)
