"""One passage's turn: claimed, revised, recorded; or put back, or failed with its reason."""

from pathlib import Path
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.utils import timezone

from pipeline.backends.model_loading import loading
from pipeline.backends.model_revisions import revision_of
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Outcome
from pipeline.figures.progress import run_progress
from pipeline.models import Revision, Run
from pipeline.rarr.errors import BadConfig, TransientError
from pipeline.rarr.types import Passage
from pipeline.runs import execution
from tests.support import scripted_engine
from tests.support.factories import make_revision, make_run
from tests.support.scripted_engine import ScriptedEngine, in_capitals
from tests.support.tiny_models import bert_config

pytestmark = pytest.mark.django_db
engine = scripted_engine.engine  # a fixture


@pytest.fixture
def revision() -> Revision:
    return make_revision(make_run(config=RunConfig.from_settings().to_plain(), passage_count=1))


def revise(revision: Revision) -> None:
    execution.Revising().run(revision.pk)
    revision.refresh_from_db()


def test_the_result_and_its_figures_are_recorded(
    engine: ScriptedEngine, revision: Revision
) -> None:
    revision.passage.text = "changed by a later import"
    revision.passage.save()
    revise(revision)
    assert [passage.text for passage in engine.passages] == [revision.original_text]
    assert revision.state == Revision.State.DONE
    assert revision.text == revision.original_text.upper()
    assert revision.result["trace"][0]["edit_outcome"] == "kept"
    assert revision.sentences == {"before": [], "after": []}
    assert revision.usage["queries"] == 3
    assert (revision.edits_accepted, revision.edits_rejected, revision.error_count) == (1, 1, 1)
    assert (revision.attribution_before, revision.attribution_after) == (0.25, 0.75)
    assert (revision.preservation, revision.f1_ap, revision.is_changed) == (0.9, 0.8, True)
    assert (revision.claim, revision.lease_until, revision.attempts) == ("", None, 1)
    assert revision.finished_at is not None
    for done_or_gone in (revision.pk, 12345):
        execution.Revising().run(done_or_gone)
    assert len(engine.passages) == 1


def test_while_models_load_the_passage_has_not_begun(
    engine: ScriptedEngine, revision: Revision
) -> None:
    loading_now = []

    def script(passage: Passage) -> Outcome:
        with loading():
            loading_now.append(run_progress(revision.run).loading)
        loading_now.append(run_progress(revision.run).loading)
        return in_capitals(passage)

    engine.script = script
    execution.Revising().run(revision.pk)
    assert loading_now == [1, 0]
    revision.refresh_from_db()
    assert revision.started_at is not None


def test_the_last_passage_finishes_the_run(engine: ScriptedEngine, revision: Revision) -> None:
    other = make_revision(revision.run)
    execution.Revising().run(revision.pk)
    assert Run.objects.get().state == Run.State.RUNNING
    execution.Revising().run(other.pk)
    run = Run.objects.get()
    assert run.state == Run.State.FINISHED
    assert run.finished_at is not None


def test_a_model_that_was_downloaded_for_the_run_is_reported(
    engine: ScriptedEngine, revision: Revision, tmp_path: Path
) -> None:
    run, name = revision.run, f"hf:{tmp_path / 'nli'}"
    run.versions = {"rarrweb": "0.1.0"}
    run.config["entailment"] = name
    run.save()
    commits = []
    for labels in (["a", "b"], ["a", "b"], ["c", "d"]):
        bert_config(labels).save_pretrained(tmp_path / "nli")
        commits.append(revision_of(str(tmp_path / "nli")))
        execution.Revising().run(make_revision(run).pk)
    first, _, second = commits
    run.refresh_from_db()
    assert run.versions == {"rarrweb": "0.1.0", name: f"{first}; {second}"}


@pytest.mark.parametrize("error", [TransientError("try later"), OperationalError("locked")])
def test_a_transient_error_puts_the_passage_back_for_later(
    engine: ScriptedEngine, revision: Revision, error: Exception
) -> None:
    good, engine.script = engine.script, Mock(side_effect=error)
    revise(revision)
    assert revision.state == Revision.State.QUEUED
    assert revision.not_before > timezone.now()
    assert (revision.claim, revision.sent_at) == ("", None)
    assert revision.failure == type(error).__name__
    execution.Revising().run(revision.pk)
    assert len(engine.passages) == 1, "it was tried again before its time"
    engine.script = good
    Revision.objects.update(not_before=None)
    revise(revision)
    assert (revision.state, revision.failure, revision.failure_message) == ("done", "", "")


def test_a_transient_error_that_does_not_end_becomes_a_failure(
    engine: ScriptedEngine, revision: Revision
) -> None:
    engine.script = Mock(side_effect=TransientError("The model server does not answer."))
    for _ in range(execution.MAX_ATTEMPTS):
        Revision.objects.update(not_before=None)
        revise(revision)
    assert (revision.state, revision.failure) == (Revision.State.FAILED, "TransientError")
    assert "does not answer" in revision.failure_message
    assert f"Tried {execution.MAX_ATTEMPTS} times" in revision.failure_message


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (BadConfig("J is 0: write 1."), "J is 0: write 1."),
        (KeyError("k"), "Unexpected error (KeyError): see the worker's log."),
    ],
)
def test_any_other_error_fails_the_passage_with_its_name_and_reason(
    engine: ScriptedEngine, revision: Revision, error: Exception, sentence: str
) -> None:
    engine.script = Mock(side_effect=error)
    revise(revision)
    assert revision.state == Revision.State.FAILED
    assert revision.failure == type(error).__name__
    assert revision.failure_message == sentence
    assert Run.objects.get().state == Run.State.FINISHED, "the run must not wait for it"


def test_a_result_whose_claim_was_lost_is_dropped(
    engine: ScriptedEngine, revision: Revision
) -> None:
    good = engine.script

    def slow(passage: Passage) -> object:
        Revision.objects.update(claim="of another worker")
        return good(passage)

    engine.script = slow
    revise(revision)
    assert (revision.state, revision.text) == (Revision.State.RUNNING, "")
    assert revision.claim == "of another worker"


def test_waits_grow_and_end() -> None:
    waits = [execution.waiting_seconds(attempts) for attempts in range(1, 30)]
    assert 2 <= waits[0] <= 5
    assert waits[3] > waits[0]
    assert max(waits) <= execution.LONGEST_WAIT_SECONDS
