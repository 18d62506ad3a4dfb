"""Replies of a language model, counted by step in runs, pages and commands."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from pipeline.backends.readings import ReplyCounter, ReplyCounts
from pipeline.models import Run
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.serialization import to_plain
from pipeline.runs import execution, start
from pipeline.runs.budget import add_replies, reply_counts
from pipeline.runs.failures import EARLY, EARLY_FAILURES, stop_reason
from rarrweb.accounts.models import User
from tests.support import language_model_runs
from tests.support.factories import make_passage, make_revision, make_run, make_user
from tests.support.language_model_runs import TEXTS, WRONG, revised, spoiled, work_on
from tests.support.llm_script import answer
from tests.support.llm_server import Answer, LlmServer

server, pages, run = language_model_runs.server, language_model_runs.pages, language_model_runs.run


UNREADABLE = ("UnreadableReply", "There is no line.")
REVISED = ("", "")


def test_a_run_counts_the_replies_of_all_tries_by_step(run: Run, server: LlmServer) -> None:
    server.answer = spoiled("gate")
    work_on(run, most=1)
    server.answer = answer
    start.retry_failed(run)
    execution.Revising().run(run.revisions.order_by("pk")[0].pk)
    run.refresh_from_db()
    counts = reply_counts(run)
    totals = {"queries": (6, 6), "agreement": (1, 2), "edit": (1, 1), "decontextualization": (2, 2)}
    assert {step: (each.at_once, each.total) for step, each in counts.items()} == totals
    assert counts["agreement"].unreadable == 1


def test_a_second_attempt_is_counted_as_such(run: Run, server: LlmServer) -> None:
    bad = spoiled("edit")

    def readable_on_second_attempt(prompt: str) -> Answer:
        return answer(prompt.split("\nbanana\n")[0]) if "banana" in prompt else bad(prompt)

    server.answer = readable_on_second_attempt
    work_on(run, most=1)
    assert reply_counts(run)["edit"] == ReplyCounts(on_second_attempt=1)


def test_the_first_unreadable_replies_are_stored(run: Run, server: LlmServer) -> None:
    server.answer = spoiled("gate")
    work_on(run)  # pauses after five passages
    counts = reply_counts(run)["agreement"]
    assert (counts.at_once, counts.on_second_attempt, counts.unreadable) == (0, 0, 5)
    assert [each.reply for each in counts.examples] == ["banana"] * 3
    assert "Verdict" in counts.examples[0].problem


def test_counts_of_two_workers_are_added(db: None) -> None:
    run = make_run()
    seen_by_both = Run.objects.get(pk=run.pk)
    for worker in (run, seen_by_both):
        counter = ReplyCounter()
        counter.add("edit", ReplyCounts(at_once=2))
        add_replies(worker, counter)
    run.refresh_from_db()
    assert reply_counts(run) == {"edit": ReplyCounts(at_once=4)}


# --- On the page of a run ----------------------------------------------------------------


def page(run: Run, client: Client) -> str:
    client.force_login(make_user(role=User.Role.RESEARCHER))
    return client.get(run.get_absolute_url()).content.decode()


def with_counts(at_once: int, unreadable: int) -> dict[str, Any]:
    counts = ReplyCounts(at_once=at_once)
    for _ in range(unreadable):
        counts += ReplyCounts.of(UnreadableReply("No verdict.", reply="I <b>cannot</b> say."))
    return {"agreement": to_plain(counts)}


def test_the_page_shows_the_counts_and_the_first_replies(db: None, client: Client) -> None:
    assert "Replies of the language model" not in page(make_run(), client)
    text = page(make_run(replies=with_counts(at_once=5, unreadable=5)), client)
    assert "Replies of the language model" in text
    assert text.count("I &lt;b&gt;cannot&lt;/b&gt; say.") == ReplyCounts.EXAMPLES
    assert "50.0\N{NO-BREAK SPACE}% of the replies for <strong>agreement</strong>" in text


@pytest.mark.parametrize(("unreadable", "is_reported"), [(1, False), (2, True)])
def test_the_page_warns_of_more_than_a_tenth(
    db: None, client: Client, unreadable: int, is_reported: bool
) -> None:
    run = make_run(replies=with_counts(at_once=10 - unreadable, unreadable=unreadable))
    assert ("were unreadable" in page(run, client)) is is_reported


# --- In a command ------------------------------------------------------------------------


def test_the_summary_names_steps_with_many_unreadable_replies(
    server: LlmServer, tmp_path: Path, pages: Path
) -> None:
    server.answer = spoiled("gate", where=TEXTS[0])
    _, report, _ = revised(tmp_path, pages, texts=TEXTS[:2])
    assert "0 on the second attempt, and 1 was unreadable." in report
    assert "More than 10% of the replies were unreadable for agreement (1 of 2" in report
    assert "'banana'" in report


# --- Where many of the first passages fail -----------------------------------------------


def alternating(count: int) -> list[tuple[str, str]]:
    return [UNREADABLE if index % 2 else REVISED for index in range(count)]


@pytest.mark.parametrize(
    ("ended", "at"),
    [
        (alternating(40), [EARLY - 1]),  # half of the first twenty
        ([REVISED, *alternating(40)], []),
        ([UNREADABLE] * 40, [4, EARLY_FAILURES - 1]),  # and once more, then never again
        ([("RefusedPrompt", "It is too long.")] * 40, [4, EARLY_FAILURES - 1]),
        ([("TookTooLong", "It took too long.")] * 40, []),
        ([("WorkerCrashed", "Skipped.")] * 40, []),
    ],
)
def test_work_stops_where_many_of_the_first_passages_fail(
    ended: list[tuple[str, str]], at: list[int]
) -> None:
    assert [i for i in range(len(ended)) if stop_reason(ended[: i + 1], index=i)] == at


def test_a_passage_that_ends_late_among_the_first_stops_the_work_too() -> None:
    """Two workers end at once: the one whose end comes first in order may be written last."""
    assert "failed for an unreadable reply" in stop_reason([UNREADABLE] * 5, index=3)
    refused = [("RefusedPrompt", "It is too long.")]
    assert "failed for a refused prompt" in stop_reason(refused * 5, index=3)
    assert stop_reason(alternating(EARLY), index=EARLY - 3)


def test_a_run_pauses_when_half_of_its_first_twenty_fail(run: Run, server: LlmServer) -> None:
    texts = [f"{WRONG} It has {seats} seats." for seats in range(900, 925)]
    run.revisions.all().delete()
    for text in texts:
        make_revision(run, passage=make_passage(run.dataset, text=text))
    bad = texts[1::2]

    server.answer = lambda prompt: (
        "banana" if any(text in prompt for text in bad) else answer(prompt)
    )
    work_on(run, most=len(texts))
    assert run.state == Run.State.PAUSED
    assert run.pause_reason.startswith("10 of the first 20 passages could not be revised")
    assert run.revisions.filter(state="queued").count() == len(texts) - EARLY
    start.resume_run(run)
    assert work_on(run, most=len(texts)).state == Run.State.FINISHED
