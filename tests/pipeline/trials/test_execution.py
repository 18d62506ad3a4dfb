"""A trial: revised as a passage of a run, with visible progress, and hidden."""

from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from pipeline.data.deletion import delete_corpus
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Outcome
from pipeline.forms.trials import trial_config
from pipeline.jobs import queue
from pipeline.models import Corpus, Dataset, Revision, Run
from pipeline.rarr import types as rarr
from pipeline.rarr.errors import TransientError
from pipeline.rarr.types import Passage, Query
from pipeline.runs import execution, start
from pipeline.trials import lifecycle
from pipeline.workers import recovery
from rarrweb.accounts.models import User
from tests.support import scripted_engine
from tests.support.factories import make_corpus
from tests.support.scripted_engine import ScriptedEngine, in_capitals

pytestmark = pytest.mark.django_db
engine = scripted_engine.engine  # a fixture

SOURCE = {
    "id": "source-1.txt",
    "title": "Forth Bridge",
    "url": "",
    "text": "The Forth Bridge is a railway bridge in Scotland. The Prince of Wales opened it on "
    "4 March 1890. It was designed by John Fowler and Benjamin Baker.",
}


@pytest.fixture
def trial(researcher: User) -> Revision:
    passage = lifecycle.example_passage()
    return lifecycle.start_trial(
        owner=researcher,
        text=passage.text,
        context=passage.context,
        config=trial_config(has_sources=True),
        sources=[SOURCE],
    )


def test_own_sources_correct_the_passage_with_the_shipped_models(trial: Revision) -> None:
    execution.Revising().run(trial.pk)
    trial.refresh_from_db()
    assert (trial.state, trial.failure_message) == (Revision.State.DONE, "")
    assert "4 March 1890" in trial.text
    assert trial.result["report"]["evidence"][0]["title"] == "Forth Bridge"
    assert trial.attribution_after is not None
    assert (trial.claim, trial.lease_until) == ("", None)


def test_a_step_can_be_read_before_the_next_one(trial: Revision, engine: ScriptedEngine) -> None:
    seen = []

    def answer(passage: Passage) -> Outcome:
        queries = (Query(text="Who opened it?"),)
        assert engine.on_progress
        engine.on_progress(rarr.Revision(passage=passage, text=passage.text, queries=queries))
        row = Revision.objects.get(pk=trial.pk)
        seen.append((row.state, row.result["queries"][0]["text"], row.started_at is not None))
        return in_capitals(passage)

    engine.script = answer
    execution.Revising().run(trial.pk)
    assert seen == [(Revision.State.RUNNING, "Who opened it?", True)]


def test_a_failure_gives_the_reason_and_can_be_retried(
    trial: Revision, engine: ScriptedEngine
) -> None:
    engine.script = Mock(side_effect=TransientError("The server is busy."))
    execution.Revising().run(trial.pk)
    trial.refresh_from_db()
    assert (trial.state, trial.failure) == (Revision.State.FAILED, "TransientError")
    assert trial.failure_message == "The server is busy."
    engine.script = in_capitals
    assert start.retry_failed(trial.run) == 1
    execution.Revising().run(trial.pk)
    trial.refresh_from_db()
    assert (trial.state, trial.failure) == (Revision.State.DONE, "")


def test_a_deleted_trial_stops_its_worker(trial: Revision, engine: ScriptedEngine) -> None:
    went_on = []

    def answer(passage: Passage) -> Outcome:
        lifecycle.delete_trials(Dataset.objects.all())
        assert engine.on_progress
        engine.on_progress(rarr.Revision(passage=passage, text=passage.text))
        went_on.append(passage)
        return in_capitals(passage)

    engine.script = answer
    execution.Revising().run(trial.pk)
    assert not went_on
    assert not Revision.objects.exists()


def test_a_web_page_that_cannot_be_read_is_the_reason(researcher: User) -> None:
    url, config = "https://127.0.0.1/secret", trial_config(has_sources=True)
    trial = lifecycle.start_trial(
        owner=researcher, text="It flows east.", config=config, sources=[{"url": url}]
    )
    execution.Revising().run(trial.pk)
    trial.refresh_from_db()
    assert (trial.state, trial.failure) == (Revision.State.FAILED, "MissingSources")
    assert url in trial.failure_message


def test_the_sweep_deletes_what_is_older_than_a_month(trial: Revision) -> None:
    recovery.sweep()
    assert Revision.objects.exists()
    old = timezone.now() - timedelta(days=lifecycle.RETENTION_DAYS, hours=1)
    Dataset.objects.update(created_at=old)
    recovery.sweep()
    assert not any(model.objects.exists() for model in (Revision, Run, Dataset))


def test_it_is_sent_to_a_queue_where_no_run_is_before_it(
    researcher: User,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send = Mock(return_value=True)
    monkeypatch.setattr(queue, "send", send)
    with django_capture_on_commit_callbacks(execute=True):
        trial = lifecycle.start_trial(owner=researcher, text="It.", config=RunConfig())
    send.assert_called_once_with(queue.REVISE_TRIAL, [trial.pk])


def test_no_list_has_it_even_for_its_owner(
    trial: Revision, researcher: User, as_researcher: Client, tmp_path: Path
) -> None:
    for model in (Dataset, Run, Revision):
        assert not model.objects.visible_to(researcher).exists()
    assert Revision.objects.trials_of(researcher).get() == trial
    run, revision = f"/runs/{trial.run_id}/", f"revisions/{trial.pk}/"
    dataset = f"/datasets/{trial.run.dataset.slug}/"
    for address in (run, f"{run}download/", dataset, f"/{revision}json/", f"/api/{revision}"):
        assert as_researcher.get(address).status_code == 404, address
    with pytest.raises(CommandError, match="There is no run"):
        call_command("export", run=trial.run_id, format="rarr", out=tmp_path / "x.jsonl")


def test_its_corpus_can_be_deleted(researcher: User) -> None:
    corpus = make_corpus(state=Corpus.State.READY)
    trial = lifecycle.start_trial(
        owner=researcher, text="It.", config=RunConfig.from_settings(), corpus=corpus
    )
    delete_corpus(corpus)
    trial.run.refresh_from_db()
    assert trial.run.corpus is None
