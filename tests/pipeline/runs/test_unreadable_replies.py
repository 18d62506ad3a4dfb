"""Unreadable replies and refused prompts do not pass as revisions."""

import json
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from pipeline.figures.progress import failure_reasons, run_progress
from pipeline.figures.results import run_results
from pipeline.management.commands import run_system
from pipeline.models import Revision, Run
from pipeline.runs import start
from pipeline.runs.failures import FIRST
from tests.support import language_model_runs, llm_server
from tests.support.language_model_runs import TEXTS, revised, spoiled, work_on
from tests.support.llm_script import answer
from tests.support.llm_server import Answer, LlmServer

server, pages, run = language_model_runs.server, language_model_runs.pages, language_model_runs.run


# --- From a file to a file ---------------------------------------------------------------


@pytest.mark.parametrize("step", ["queries", "gate", "edit"])
def test_a_passage_without_a_readable_reply_is_revised_when_the_model_is_mended(
    server: LlmServer, tmp_path: Path, pages: Path, step: str
) -> None:
    server.answer = spoiled(step, where=TEXTS[0])
    status, message, rows = revised(tmp_path, pages, texts=TEXTS[:2])
    assert status == 1
    assert "in.jsonl, line 1: " in message
    assert message.endswith("Revised: 1. Failed: 1. Reasons: unreadable reply: 1.\n")
    assert [row["id"] for row in rows] == ["1"], "what is not revised has no line of figures"
    server.answer = answer
    status, _, rows = revised(tmp_path, pages, "--resume", texts=TEXTS[:2])
    assert status == 0
    last = next(row for row in rows if row["id"] == "0")
    assert last["result"]["revisions"][0]["revised_text"].startswith("Marlow Hall opened in 1904.")


def test_one_unreadable_gate_of_several_is_enough(
    server: LlmServer, tmp_path: Path, pages: Path
) -> None:
    def reply(prompt: str) -> str:
        if prompt.rstrip().endswith("Questions:"):
            return "1. When did Marlow Hall open?\n2. How many seats has Marlow Hall?"
        is_second = "Verdict:" in prompt and "How many seats" in prompt
        return "banana" if is_second else answer(prompt)

    server.answer = reply
    status, message, rows = revised(tmp_path, pages)
    assert (status, rows) == (1, [])
    assert "At “How many seats has Marlow Hall?”: There is no line" in message


def test_one_unreadable_sample_of_queries_is_named_and_costs_nothing(
    server: LlmServer, tmp_path: Path, pages: Path
) -> None:
    good = "1. When did Marlow Hall open?"

    def reply(prompt: str) -> Answer:
        if prompt.rstrip().endswith("Questions:"):
            return [good, "banana", good]
        return "banana" if "The reply above cannot be used" in prompt else answer(prompt)

    server.answer = reply
    status, _, rows = revised(tmp_path, pages)
    assert status == 0
    assert [error["where"] for error in rows[0]["result"]["errors"]] == ["research"]
    assert rows[0]["result"]["revisions"][0]["revised_text"] == "Marlow Hall opened in 1904."


@pytest.mark.parametrize(
    "nothing", ["None.", "There is nothing to check.", "No questions", '{"questions": []}']
)
def test_a_model_that_reports_there_is_nothing_to_ask_has_been_read(
    server: LlmServer, tmp_path: Path, pages: Path, nothing: str
) -> None:
    server.answer = spoiled("queries", nothing)
    status, message, rows = revised(tmp_path, pages, texts=("Good morning!",))
    assert (status, message) == (0, "Revised: 1. Failed: 0.\n")
    assert (rows[0]["result"]["questions"], rows[0]["result"]["errors"]) == ([], [])


def test_the_command_stops_where_the_first_passages_all_fail_so(
    server: LlmServer, tmp_path: Path, pages: Path
) -> None:
    server.answer = lambda prompt: "banana"
    (tmp_path / "out.jsonl").write_text('{"kept": 1}\n')
    status, message, rows = revised(tmp_path, pages, "--at-once", 1, texts=TEXTS)
    assert status == 2
    assert message.splitlines()[FIRST:] == [
        f"None of the first {FIRST} passages could be revised; the last one failed for an "
        "unreadable reply (In the research: There is no question in the reply: 'banana'). Check "
        "that the server runs the intended model, and that this model accepts the prompts and "
        "follows them. --resume continues anyway."
    ]
    assert rows == [{"kept": 1}], "an older output is left as it was"
    assert sum(TEXTS[FIRST] in prompt for prompt in server.prompts) == 0


def test_resuming_goes_on_past_the_first_ones(
    server: LlmServer, tmp_path: Path, pages: Path
) -> None:
    server.answer = lambda prompt: answer(prompt) if TEXTS[-1] in prompt else "banana"
    (tmp_path / "out.jsonl").touch()
    assert revised(tmp_path, pages, "--at-once", 1, texts=TEXTS)[0] == 2
    status, message, rows = revised(tmp_path, pages, "--resume", texts=TEXTS)
    assert status == 1
    assert message.endswith("Revised: 1. Failed: 6. Reasons: unreadable reply: 6.\n")
    assert [row["id"] for row in rows] == ["6"]


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_prompt_fails_its_passage_with_the_reason_and_the_rest_goes_on(
    server: LlmServer, tmp_path: Path, pages: Path, status: int
) -> None:
    refusal = llm_server.error(status, "This prompt is longer than the context.")
    server.answer = spoiled("gate", refusal, where=TEXTS[0])
    for arguments in ((), ("--resume",)):
        done, message, rows = revised(tmp_path, pages, *arguments, texts=TEXTS[:3])
        assert done == 1
        assert "in.jsonl, line 1: The language model's server" in message
        assert "longer than the context" in message
        assert message.endswith("Failed: 1. Reasons: refused prompt: 1.\n")
        assert [row["id"] for row in rows] == ["1", "2"]


def test_a_wrong_key_still_ends_the_command_at_once(
    server: LlmServer, tmp_path: Path, pages: Path
) -> None:
    server.key = "another"
    (tmp_path / "out.jsonl").touch()
    status, message, _ = revised(tmp_path, pages, texts=TEXTS)
    assert (status, message.count("\n")) == (2, 1)
    assert "rejected the API key" in message


# --- In a run ----------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["queries", "gate", "edit"])
def test_a_failed_passage_has_a_trace(run: Run, server: LlmServer, step: str) -> None:
    server.answer = spoiled(step)
    work_on(run, most=1)
    row = run.revisions.first()
    assert (row.state, row.failure) == (Revision.State.FAILED, "UnreadableReply")
    assert (row.text, row.attribution_after, row.preservation) == ("", None, None)
    reported = json.dumps(row.result)
    assert '"reply": "banana"' in reported
    assert run_results(run) is None
    assert [(r.words, r.count) for r in failure_reasons(run)] == [("unreadable reply", 1)]


def test_a_run_whose_first_passages_fail_pauses(run: Run, server: LlmServer) -> None:
    server.answer = lambda prompt: "banana"
    work_on(run)
    assert run.state == Run.State.PAUSED
    assert run.pause_reason.startswith(f"None of the first {FIRST} passages could be revised")
    progress = run_progress(run)
    assert (progress.failed, progress.waiting) == (FIRST, len(TEXTS) - FIRST)
    with pytest.raises(CommandError, match=r"The run paused\. None of the first") as stopped:
        run_system.Command().report(run)
    assert stopped.value.returncode == 1
    start.resume_run(run)
    assert work_on(run).state == Run.State.FINISHED
    with pytest.raises(CommandError, match="Reasons: unreadable reply: 7") as ended:
        run_system.Command().report(run)
    assert ended.value.returncode == 1


def test_a_run_with_one_good_passage_among_the_first_goes_on(run: Run, server: LlmServer) -> None:
    server.answer = lambda prompt: answer(prompt) if TEXTS[0] in prompt else "banana"
    assert work_on(run).state == Run.State.FINISHED
    results = run_results(run)
    assert results is not None
    assert results.changed is not None
    assert results.changed.n == 1, "the others are excluded"


def test_failed_passages_are_tried_again_and_then_count(run: Run, server: LlmServer) -> None:
    server.answer = spoiled("gate")
    work_on(run)
    server.answer = answer
    assert start.retry_failed(run) == FIRST
    start.resume_run(run)
    work_on(run)
    assert run_progress(run).done == len(TEXTS)
    assert {row.text.split(".")[0] for row in run.revisions.all()} == {"Marlow Hall opened in 1904"}
