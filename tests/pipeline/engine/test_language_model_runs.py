"""RARR on a language model's server, from a file to a file and in a run, calls counted."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from pipeline.backends.tantivy_corpus import write_index
from pipeline.data import corpora
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import Engine
from pipeline.figures.progress import retrying_passages
from pipeline.models import CachedAnswer, Revision, Run
from pipeline.runs import execution
from tests.support import language_model_runs, llm_server
from tests.support.estimates import known
from tests.support.factories import make_corpus, make_passage, make_revision, make_run
from tests.support.language_model_runs import HALL, WRONG, make_language_model_run, revised
from tests.support.llm_script import answer
from tests.support.llm_server import LlmServer

server, pages = language_model_runs.server, language_model_runs.pages  # fixtures


def without_usage(rows: list[dict[str, Any]]) -> str:
    return json.dumps(
        [{**row, "result": {**row["result"], "usage": None}} for row in rows], sort_keys=True
    )


def test_the_scorer_loads_while_the_first_calls_are_waited_for(
    server: LlmServer, tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads, called = threading.Event(), threading.Event()

    def answered(prompt: str) -> Any:
        called.set()
        assert loads.wait(20)
        return answer(prompt)

    def load(engine: Engine) -> None:
        loads.set()
        assert called.wait(20)

    server.answer = answered
    monkeypatch.setattr(Engine, "load_scorer", load)
    assert revised(tmp_path, pages)[0] == 0
    assert called.is_set()


def test_prompts_revise_a_passage_once(server: LlmServer, tmp_path: Path, pages: Path) -> None:
    status, message, rows = revised(tmp_path, pages)
    assert (status, message) == (0, "Revised: 1. Failed: 0.\n")
    result = rows[0]["result"]
    assert result["revisions"][0]["revised_text"] == "Marlow Hall opened in 1904."
    usage = result["usage"]
    assert (usage["model_calls"], usage["cached_calls"]) == (len(server.requests), 0)
    tokens = sum(len(prompt.split()) for prompt in server.prompts)
    assert usage["input_tokens"] == tokens
    assert usage["cost"] == pytest.approx(usage["input_tokens"] + usage["output_tokens"])
    # A second time nothing is asked.
    first = rows
    requests = len(server.requests)
    _, _, second = revised(tmp_path, pages)
    assert len(server.requests) == requests
    assert without_usage(second) == without_usage(first)
    usage = second[0]["result"]["usage"]
    assert (usage["model_calls"], usage["input_tokens"], usage["cost"]) == (0, 0, 0.0)
    assert usage["cached_calls"] > 0


def test_refresh_replaces_the_answers(server: LlmServer, tmp_path: Path, pages: Path) -> None:
    revised(tmp_path, pages)
    requests = len(server.requests)
    server.answer = lambda prompt: answer(prompt).replace("1904", "1905")
    _, _, rows = revised(tmp_path, pages, "--refresh")
    assert len(server.requests) == 2 * requests
    assert rows[0]["result"]["revisions"][0]["revised_text"] == "Marlow Hall opened in 1905."
    _, _, again = revised(tmp_path, pages)
    assert len(server.requests) == 2 * requests
    assert without_usage(again) == without_usage(rows)


def test_each_step_has_its_temperature(server: LlmServer, tmp_path: Path, pages: Path) -> None:
    revised(tmp_path, pages)
    assert sorted({each.body["temperature"] for each in server.requests}) == [0.0, 0.7]
    (tmp_path / "var" / "answers.sqlite3").unlink()
    server.requests.clear()
    revised(tmp_path, pages, "--set", "gate_temperature=0.3", "--set", "edit_temperature=0.5")
    temperatures = {each.body["temperature"] for each in server.requests}
    assert {0.3, 0.5, 0.7} <= temperatures <= {0.0, 0.3, 0.5, 0.7}


def test_each_step_asks_the_model_of_its_setting(
    server: LlmServer, tmp_path: Path, pages: Path
) -> None:
    steps = {"llm": "large", "llm_queries": "small", "llm_agreement": "gate"}
    options = [text for step, name in steps.items() for text in ("--set", f"{step}=openai:{name}")]
    _, _, rows = revised(tmp_path, pages, *options, "--set", "llm_decontextualize=compact")
    assert rows[0]["result"]["revisions"][0]["revised_text"] == "Marlow Hall opened in 1904."
    models = {
        (mark, each.body["model"])
        for each, prompt in zip(server.requests, server.prompts, strict=True)
        for mark in ("Questions:", "Verdict:", "Fixed passage:", "Sentence:")
        if mark in prompt
    }
    assert models == {("Questions:", "small"), ("Verdict:", "gate"), ("Fixed passage:", "large")}


def test_a_spent_budget_ends_the_command(server: LlmServer, tmp_path: Path, pages: Path) -> None:
    texts = (WRONG, "Marlow Hall opened in 1902 in Denby.", "The hall opened in 1902.")
    _, _, all_rows = revised(tmp_path, pages, texts=texts[:1])
    needed = all_rows[0]["result"]["usage"]["model_calls"]
    (tmp_path / "var" / "answers.sqlite3").unlink()
    server.requests.clear()

    limit = f"budget_calls={needed}"
    status, message, rows = revised(tmp_path, pages, "--at-once", 1, "--set", limit, texts=texts)
    assert status == 1
    assert f"The budget of {needed} calls is used up" in message
    assert "--resume" in message
    assert len(rows) == 1
    assert len(server.requests) <= needed

    status, message, rows = revised(tmp_path, pages, "--resume", texts=texts)
    assert (status, len(rows)) == (0, 3)


def test_a_passage_that_the_server_spoils_fails_and_the_rest_goes_on(
    server: LlmServer, tmp_path: Path, pages: Path, settings: Any
) -> None:
    settings.RARR_LLM_TIMEOUT, settings.RARR_LLM_PATIENCE = 0.2, 0.0
    silence = llm_server.Fault(silence=40)
    server.answer = lambda prompt: silence if "Denby Hall" in prompt else answer(prompt)
    status, message, rows = revised(tmp_path, pages, texts=("Denby Hall opened in 1902.", WRONG))
    assert status == 1
    assert "in.jsonl, line 1: The language model's server" in message
    assert "did not answer within 0.2 s" in message
    assert [row["id"] for row in rows] == ["1"]
    assert rows[0]["result"]["revisions"][0]["revised_text"] == "Marlow Hall opened in 1904."


@pytest.fixture
def run(db: None, server: LlmServer) -> Run:
    return make_language_model_run([WRONG, "Marlow Hall opened in 1902, in Denby."])


def test_a_run_counts_every_call_next_to_its_passage(run: Run, server: LlmServer) -> None:
    for revision in run.revisions.all():
        execution.Revising().run(revision.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    first = run.revisions.first()
    assert first.text == "Marlow Hall opened in 1904."
    assert {call["step"] for call in first.calls} >= {"queries", "agreement", "edit"}
    assert run.calls_spent == len(server.requests)
    assert run.calls_spent == sum(row.usage["model_calls"] for row in run.revisions.all())
    assert run.cost_spent == pytest.approx(run.tokens_spent)
    assert CachedAnswer.objects.count() >= len(server.requests)


@pytest.mark.django_db(transaction=True)
def test_a_worker_revises_several_at_once(run: Run, server: LlmServer, settings: Any) -> None:
    for number in range(4):
        text = f"Marlow Hall opened in 190{number}."
        make_revision(run, passage=make_passage(run.dataset, text=text))
    last = run.revisions.order_by("pk").last()
    Revision.objects.filter(pk=last.pk).update(lost_leases=1)
    settings.RARR_LLM_CONCURRENCY = 5
    server.delay = 0.05
    execution.revise_several(run.revisions.order_by("pk").first().pk)
    assert server.most_at_once > 1
    states = list(run.revisions.order_by("pk").values_list("state", flat=True))
    # A worker has died over the last one: it is no other's company.
    assert states == [Revision.State.DONE] * 5 + [Revision.State.QUEUED]
    execution.revise_several(last.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert run.calls_spent == len(server.requests)


@pytest.mark.django_db
def test_this_machines_models_revise_one_passage_at_a_time() -> None:
    run = make_run(config=RunConfig(llm="compact").to_plain(), corpus=make_corpus(slug="hall"))
    write_index(corpora.index_path("hall"), [HALL])
    rows = [make_revision(run, passage=make_passage(run.dataset, text=WRONG)) for _ in range(2)]
    execution.revise_several(rows[0].pk)
    assert [row.state for row in run.revisions.order_by("pk")] == ["done", "queued"]


def test_a_run_over_the_same_passages_asks_nothing(run: Run, server: LlmServer) -> None:
    for revision in run.revisions.all():
        execution.Revising().run(revision.pk)
    requests = len(server.requests)
    other = make_run(config=run.config, corpus=run.corpus, dataset=run.dataset)
    for row in [make_revision(other, passage=each.passage) for each in run.revisions.all()]:
        execution.Revising().run(row.pk)
    assert len(server.requests) == requests
    results = [list(each.revisions.values_list("result", flat=True)) for each in (run, other)]
    assert results[0] == results[1]
    other.refresh_from_db()
    assert (other.calls_spent, other.cost_spent) == (0, 0.0)


def test_a_server_that_comes_back_finds_the_passage_waiting(run: Run, server: LlmServer) -> None:
    good, server.answer = server.answer, lambda prompt: llm_server.error(503)
    revision = run.revisions.first()
    execution.Revising().run(revision.pk)
    revision.refresh_from_db()
    assert (revision.state, revision.failure) == (Revision.State.QUEUED, "TransientError")
    assert "answered 503" in known(retrying_passages(run))["failure_message"]
    server.answer = good
    Revision.objects.update(not_before=None)
    execution.Revising().run(revision.pk)
    revision.refresh_from_db()
    assert revision.state == Revision.State.DONE
    assert revision.calls[0]["error"].startswith("TransientError: The language model's server")


def test_a_passage_waits_as_long_as_the_server_asks(run: Run, server: LlmServer) -> None:
    server.answer = lambda prompt: llm_server.error(429, Retry_After="1000")
    revision = run.revisions.first()
    execution.Revising().run(revision.pk)
    revision.refresh_from_db()
    assert revision.state == Revision.State.QUEUED
    assert 900 < (revision.not_before - timezone.now()).total_seconds() <= 1000
