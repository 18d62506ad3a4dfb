"""One trial: its steps are written as they come, its end is clear, its claim is its own."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Outcome
from pipeline.jobs import leases
from pipeline.models import Trial
from pipeline.rarr.errors import TransientError
from pipeline.rarr.ports import Watcher
from pipeline.rarr.types import Passage, Query, Revision
from pipeline.trials import execution, lifecycle
from pipeline.trials.example import example_passage
from pipeline.workers import recovery
from rarrweb.accounts.models import User
from tests.support.scripted_engine import in_capitals

pytestmark = pytest.mark.django_db

SOURCE = {
    "id": "source-1.txt",
    "title": "Forth Bridge",
    "url": "",
    "text": "The Forth Bridge is a railway bridge in Scotland. The Prince of Wales opened it on "
    "4 March 1890. It was designed by John Fowler and Benjamin Baker.",
}


@pytest.fixture
def trial(researcher: User) -> Trial:
    passage = example_passage()
    return lifecycle.start_trial(
        owner=researcher,
        text=passage.text,
        context=passage.context,
        config=RunConfig.from_settings(),
        sources=[SOURCE],
    )


def script(monkeypatch: pytest.MonkeyPatch, answer: Callable[[Passage, Watcher], Outcome]) -> None:
    class Scripted:
        def revise(self, passage: Passage, *, watcher: Watcher) -> Outcome:
            return answer(passage, watcher)

    monkeypatch.setattr(execution, "load_engine", lambda config, *, index: Scripted())


def test_own_sources_correct_the_passage_with_the_shipped_models(trial: Trial) -> None:
    execution.revise(trial.pk)
    trial.refresh_from_db()
    assert (trial.state, trial.failure_message) == (Trial.State.DONE, "")
    assert "4 March 1890" in trial.text
    assert trial.result["report"]["evidence"][0]["title"] == "Forth Bridge"
    assert trial.attribution_after is not None
    assert (trial.claim, trial.lease_until) == ("", None)


def test_a_step_can_be_read_before_the_next_one(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def answer(passage: Passage, watcher: Watcher) -> Outcome:
        queries = (Query(text="Who opened it?"),)
        watcher(Revision(passage=passage, text=passage.text, queries=queries))
        row = Trial.objects.get(pk=trial.pk)
        seen.append((row.state, row.result["queries"][0]["text"], row.started_at is not None))
        return in_capitals(passage)

    script(monkeypatch, answer)
    execution.revise(trial.pk)
    assert seen == [(Trial.State.RUNNING, "Who opened it?", True)]


def test_a_failure_says_why_and_can_be_retried(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(passage: Passage, watcher: Watcher) -> Outcome:
        raise TransientError("The server is busy.")

    script(monkeypatch, answer)
    execution.revise(trial.pk)
    trial.refresh_from_db()
    assert (trial.state, trial.failure) == (Trial.State.FAILED, "TransientError")
    assert trial.failure_message == "The server is busy."
    script(monkeypatch, lambda passage, watcher: in_capitals(passage))
    assert lifecycle.retry_trial(trial)
    execution.revise(trial.pk)
    trial.refresh_from_db()
    assert (trial.state, trial.failure) == (Trial.State.DONE, "")


def test_a_deleted_trial_stops_its_worker(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    went_on = []

    def answer(passage: Passage, watcher: Watcher) -> Outcome:
        Trial.objects.all().delete()
        watcher(Revision(passage=passage, text=passage.text))
        went_on.append(passage)
        return in_capitals(passage)

    script(monkeypatch, answer)
    execution.revise(trial.pk)
    assert not went_on
    assert not Trial.objects.exists()


def test_killed_workers_leave_a_clear_end(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, lambda passage, watcher: in_capitals(passage))
    for _ in range(leases.MOST_LOST):
        token = leases.claim(Trial.objects.waiting(), trial.pk, state=Trial.State.RUNNING)
        assert token, "the lease ran out, so another worker may take it"
        Trial.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert Trial.objects.waiting().get() == trial
    execution.revise(trial.pk)
    trial.refresh_from_db()
    assert (trial.state, trial.failure) == (Trial.State.FAILED, "GaveUp")
    assert "retry" in trial.failure_message


def test_a_web_page_that_cannot_be_read_is_the_reason(researcher: User) -> None:
    trial = lifecycle.start_trial(
        owner=researcher,
        text="The Ribble flows into the North Sea.",
        config=RunConfig.from_settings(),
        sources=[{"url": "https://127.0.0.1/secret"}],
    )
    execution.revise(trial.pk)
    trial.refresh_from_db()
    assert (trial.state, trial.failure) == (Trial.State.FAILED, "NoSource")
    assert "https://127.0.0.1/secret" in trial.failure_message


def test_the_sweep_forgets_what_is_older_than_a_month(trial: Trial) -> None:
    recovery.sweep()
    assert Trial.objects.exists()
    Trial.objects.update(created_at=timezone.now() - timedelta(days=lifecycle.KEPT_DAYS, hours=1))
    recovery.sweep()
    assert not Trial.objects.exists()
