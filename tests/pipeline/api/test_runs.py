"""Runs over the API: started as by the form, watched, paused, resumed, tried again."""

import json
from typing import Any

import pytest
from django.test import Client

from pipeline.models import Corpus, Revision, Run
from pipeline.rarr.systems import SYSTEMS
from rarrweb.accounts.models import User
from tests.support.answer_rows import make_answer, make_answer_run
from tests.support.api import errors_of
from tests.support.factories import make_corpus, make_dataset, make_passage, make_revision, make_run
from tests.support.revision_rows import make_viaduct

pytestmark = pytest.mark.django_db
JSON = {"content_type": "application/json"}


def start(program: Client, **more: Any) -> Any:
    corpus = make_corpus(state=Corpus.State.READY)
    wanted = {"dataset": make_passage().dataset.slug, "corpus": corpus.slug, **more}
    return program.post("/api/runs/", wanted, **JSON)


def test_a_run_starts_with_the_settings_that_were_given(program: Client, researcher: User) -> None:
    given = {"evidence_per_query": 2, "max_edit_ratio": 0.4, "contextual_prompts": "any"}
    answer = start(program, system="rarr-no-agreement", settings=given)
    assert answer.status_code == 201, answer.content
    run = Run.objects.get(pk=answer.json()["id"])
    assert (run.system, run.created_by, run.passage_count) == ("rarr-no-agreement", researcher, 1)
    assert run.config["rarr"]["evidence_per_query"] == 2
    assert run.config["contextual_prompts"] == "any"
    stored = program.get(f"/api/runs/{run.pk}/").json()
    assert stored == answer.json() | {"progress": stored["progress"]}
    counts = {"total": 1, "done": 0, "failed": 0, "working": 0, "waiting": 1}
    assert stored["progress"] == {**counts, "rate": stored["progress"]["rate"]}
    assert stored["config"]["rarr"]["max_edit_ratio"] == 0.4
    assert stored["results"] is None


def test_without_settings_it_is_as_on_the_page(program: Client, as_researcher: Client) -> None:
    by_api = Run.objects.get(pk=start(program).json()["id"])
    form = {"dataset": by_api.dataset.slug, "corpus": by_api.corpus.slug, "system": ["rarr"]}
    page = as_researcher.get("/runs/new/").context["form"]
    begins = {name: page[name].value() for name in page.fields if page[name].value() is not None}
    as_researcher.post("/runs/new/", {**begins, **form})
    by_page = Run.objects.exclude(pk=by_api.pk).get()
    assert by_page.config == by_api.config


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"system": "magic"}, "system"),
        ({"dataset": "none"}, "dataset"),
        ({"corpus": "none"}, "corpus"),
        ({"corpus": None}, "corpus"),
        ({"settings": {"llm": "openai:x"}}, "settings.llm"),
        ({"settings": {"report_size": 0}}, "settings.report_size"),
        ({"settings": {"report_size": "many"}}, "settings.report_size"),
        ({"settings": {"report_size": {"a": 1}}}, "settings.report_size"),
        ({"settings": [1]}, "settings"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    program: Client, wrong: dict[str, Any], field: str
) -> None:
    errors = errors_of(start(program, **wrong), 400)
    assert [each["attr"] for each in errors] == [field]
    assert not Run.objects.exists()


def test_settings_that_make_several_runs_start_none(program: Client, settings: Any) -> None:
    settings.RARR_LLM = "openai:stub"
    make = {"system": "closed-book", "settings": {"answers_per_question": 2}}
    answer = start(program, **make)
    assert "These settings start 2 runs" in str(errors_of(answer, 400))
    assert not Run.objects.exists()


def test_what_is_not_ready_is_a_conflict(program: Client) -> None:
    errors_of(start(program, corpus=make_corpus().slug), 409)
    errors_of(start(program, dataset=make_dataset().slug), 409)
    assert not Run.objects.exists()


def test_pausing_resuming_cancelling_are_reported_once(program: Client) -> None:
    run = start(program).json()["id"]
    act = lambda action: program.post(f"/api/runs/{run}/{action}/", {}, **JSON)  # noqa: E731
    assert act("pause").json()["state"] == "paused"
    errors_of(act("pause"), 409)
    assert act("resume").json()["state"] == "running"
    errors_of(program.delete(f"/api/runs/{run}/"), 409)
    assert act("cancel").json()["state"] == "cancelled"
    for action in ("pause", "resume", "cancel", "retry"):
        errors_of(act(action), 409)
    assert program.delete(f"/api/runs/{run}/").status_code == 204


def test_a_run_that_used_its_budget_up_goes_on_under_a_higher_one(program: Client) -> None:
    config = {**start(program).json()["config"], "budget_calls": 10}
    run = make_run(state=Run.State.PAUSED, pause_reason="Used up.", calls_spent=10, config=config)
    errors_of(program.post(f"/api/runs/{run.pk}/resume/", {}, **JSON), 400)
    more = {"budget_calls": 50}
    assert program.post(f"/api/runs/{run.pk}/resume/", more, **JSON).json()["state"] != "paused"
    run.refresh_from_db()
    assert run.config["budget_calls"] == 50


def test_failed_passages_are_reported_and_wait_again(program: Client) -> None:
    run = make_run(state=Run.State.FINISHED, passage_count=2)
    names = ("TimeoutError", "UnreadableReply")
    for name in names:
        make_revision(run, state="failed", failure=name, failure_message="No.")
    failures = program.get(f"/api/runs/{run.pk}/").json()["failures"]
    assert {each["name"]: each["count"] for each in failures} == dict.fromkeys(names, 1)
    retry = program.post(f"/api/runs/{run.pk}/retry/", {"failure": "TimeoutError"}, **JSON)
    assert retry.json()["state"] == "running"
    assert Revision.objects.filter(state="queued").count() == 1


def test_lists_narrow(program: Client) -> None:
    stored = make_run(state=Run.State.FINISHED)
    make_run(system="efec")
    make_run(system=Run.UNREVISED)
    rows = lambda query: program.get(f"/api/runs/?{query}").json()["results"]  # noqa: E731
    assert len(rows("")) == 2, "a dataset as it is, is no system's run"
    [finished] = rows(f"state=finished&dataset={stored.dataset.slug}")
    assert finished["id"] == stored.pk
    assert [row["system"] for row in rows("system=efec")] == ["efec"]
    assert set(SYSTEMS) >= {"rarr", "efec"}


def test_revisions_are_listed_and_read_whole(program: Client) -> None:
    revision = make_viaduct()
    run = revision.run
    waiting = make_revision(run)
    rows = program.get(f"/api/runs/{run.pk}/revisions/").json()["results"]
    assert [row["id"] for row in rows] == [revision.pk, waiting.pk]
    assert "result" not in rows[0]
    done = program.get(f"/api/runs/{run.pk}/revisions/?state=done").json()["results"]
    assert [row["id"] for row in done] == [revision.pk]

    whole = program.get(f"/api/revisions/{revision.pk}/").json()
    page = program.get(f"/api/runs/{run.pk}/download/")
    line = json.loads(b"".join(page.streaming_content))
    assert whole["result"] == line["result"]
    assert whole["text"] == revision.text
    assert whole["attribution_after"] == revision.attribution_after
    assert program.get(f"/api/revisions/{waiting.pk}/").json()["result"] is None
    results = program.get(f"/api/runs/{run.pk}/").json()["results"]
    assert results["attribution_after"]["n"] == 1
    Revision.objects.update(result={"unknown": 1})
    assert program.get(f"/api/revisions/{revision.pk}/").json()["result"] is None


def test_answers_have_their_figures_in_lists_and_whole(program: Client) -> None:
    run = make_answer_run(state=Run.State.FINISHED)
    row = make_answer(run)
    make_answer(run, "Marlow Hall opened in 1904 [1].", external_id="good")
    stored = program.get(f"/api/runs/{run.pk}/").json()
    assert stored["results"] is None
    assert stored["answers"]["n"] == 2
    assert stored["answers"]["citation_recall"]["value"] == (0.25 + 1) / 2
    assert stored["answers"]["with_problems"]["value"] == 0.5
    listed = program.get(f"/api/runs/{run.pk}/revisions/").json()["results"]
    assert [each["citation_recall"] for each in listed] == [0.25, 1.0]
    assert [each["correctness"] for each in listed] == [0.5, 0.5]
    whole = program.get(f"/api/revisions/{row.pk}/").json()
    assert whole["citation_scores"]["corrected"]["citation_rec"] == 0.25
    assert whole["generation"]["problems"] == ["unknown-source", "uncited-end"]
