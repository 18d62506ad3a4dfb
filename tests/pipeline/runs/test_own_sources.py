"""Runs that search the passages' own sources."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from pipeline.engine.configuration import RunConfig
from pipeline.engine.loading import load_engine
from pipeline.forms.runs import NewRunForm
from pipeline.models import Corpus, Dataset, Revision, Run
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.types import Document, Passage
from pipeline.runs import execution
from pipeline.runs import start as launch
from tests.support.commands import read, revise, write_lines
from tests.support.factories import make_corpus, make_dataset, make_passage, make_user

pytestmark = pytest.mark.django_db

HALL = "Marlow Hall is a concert hall in Denby. It opened in 1904. It has 812 seats."
OTHERS = [f"The River Ash {number} is a river in Denby. It is long." for number in range(7)]
WRONG, RIGHT = "Marlow Hall opened in 1902.", "Marlow Hall opened in 1904."


def run_config(**overrides: Any) -> RunConfig:
    return RunConfig.from_settings(overrides={"search": "sources", **overrides})


def dataset_of(*sources: dict[str, Any]) -> Dataset:
    dataset = make_dataset()
    for source in sources:
        make_passage(dataset, text=WRONG, source=source)
    return dataset


def started(dataset: Dataset, corpus: Corpus | None = None) -> Run:
    return launch.start_run(dataset=dataset, corpus=corpus, config=run_config(), created_by=None)


def test_a_passage_is_researched_in_its_sources_and_nothing_else() -> None:
    run = started(dataset_of({"contexts": [HALL]}, {"contexts": OTHERS[:1]}))
    for row in run.revisions.all():
        execution.Revising().run(row.pk)
    first, second = run.revisions.order_by("pk")
    assert first.state == second.state == Revision.State.DONE
    assert (first.text, second.text) == (RIGHT, WRONG)
    evidence = [each["text"] for each in first.result["report"]["evidence"]]
    assert evidence
    assert all(text in HALL for text in evidence)


@pytest.mark.parametrize(
    ("overrides", "revised", "evidence"),
    [
        ({"documents_per_query": 1}, RIGHT, ["8"]),
        ({"domains_excluded": "example.org"}, WRONG, []),
    ],
)
def test_only_excluded_domains_limit_the_sources_that_are_read(
    overrides: dict[str, Any], revised: str, evidence: list[str]
) -> None:
    sources = [
        Document(id=str(n), title="", url="https://a.example.org/hall", text=text)
        for n, text in enumerate([*OTHERS, HALL], start=1)
    ]
    engine = load_engine(run_config(**overrides), index=None)
    outcome = engine.revise(Passage(id="p", text=WRONG), sources=sources)
    assert outcome.revision.text == revised
    assert [each.document_id for each in outcome.revision.report.evidence][:1] == evidence


def test_a_passage_without_sources_fails_with_a_name_and_a_sentence() -> None:
    run = started(dataset_of({"contexts": [HALL]}, {"contexts": []}, {"contexts": [" "]}))
    assert run.versions["own sources"] == "1 of 3 passages came with some"
    for row in run.revisions.all():
        execution.Revising().run(row.pk)
    failed = run.revisions.filter(state=Revision.State.FAILED)
    assert failed.count() == 2
    assert {row.failure for row in failed} == {"MissingSources"}
    assert "came without the text of any source" in failed[0].failure_message


def test_a_run_over_its_own_sources_needs_some_and_nothing_else() -> None:
    with pytest.raises(launch.RunRefused, match="came with the text of a source"):
        started(dataset_of({}, {"sources": ["https://example.org/ribble"]}))
    with pytest.raises(launch.RunRefused, match="would not be used"):
        started(dataset_of({"docs": [{"text": HALL}]}), corpus=make_corpus())
    with pytest.raises(BadConfig, match="'sources' cannot be combined"):
        run_config(search="sources+corpus")
    assert not Run.objects.exists()


def test_the_command_starts_such_a_run_and_reports_how_many_lack_sources() -> None:
    dataset = dataset_of({"contexts": [HALL]}, {})
    reported = StringIO()
    call_command("run_system", dataset=dataset.slug, overrides=["search=sources"], stderr=reported)
    expected = "1 of 2 passages came without the text of any source: these will fail."
    assert expected in reported.getvalue()
    with pytest.raises(CommandError, match="came with the text of a source"):
        call_command("run_system", dataset=dataset_of({}).slug, overrides=["search=sources"])


def form_data(dataset: Dataset, **values: Any) -> dict[str, Any]:
    form = NewRunForm(user=make_user(role="researcher"))
    begins = {name: field.initial for name, field in form.fields.items() if field.initial}
    return {**begins, "dataset": dataset.slug, **values}


def test_the_form_needs_a_corpus_only_to_search_it(as_researcher: Client) -> None:
    dataset, address = dataset_of({"contexts": [HALL]}, {}), reverse("pipeline:new-run")
    assert "The passages’ own sources" in as_researcher.get(address).text
    done = as_researcher.post(address, form_data(dataset, corpus=""), follow=True)
    run = Run.objects.get()
    assert (run.corpus, run.config["search"]) == (None, "sources")
    page = done.content.decode()
    assert "1 of 2 passages came without" in page
    assert "evidence from the passages’ own sources" in page
    make_corpus(state=Corpus.State.READY)
    again = as_researcher.get(address, {"run": run.pk})
    assert again.context["form"]["corpus"].value() == ""


@pytest.mark.parametrize("where", ["corpus", "sources"])
def test_a_setting_makes_it_the_search_of_the_installation(
    as_researcher: Client, settings: Any, where: str
) -> None:
    settings.RARR_SEARCH = where
    form = NewRunForm(user=make_user(role="researcher"))
    assert form.evidence.value() == (None if where == "corpus" else where)
    assert as_researcher.get(reverse("pipeline:try")).status_code == 200


@pytest.mark.parametrize(
    "line",
    [
        {"id": "7", "text": WRONG, "sources": [HALL]},
        {"input_info": {"claim": WRONG}, "docs": [{"text": HALL}]},
        {"user_input": "When?", "retrieved_contexts": [*OTHERS, HALL], "response": WRONG},
    ],
)
def test_revise_takes_a_lines_own_sources(tmp_path: Path, line: dict[str, Any]) -> None:
    file, out = write_lines(tmp_path / "in.jsonl", [line]), tmp_path / "out.jsonl"
    revise(file, "--set", "search=sources", "--out", out)
    [written] = read(out)
    assert written["result"]["revisions"][0]["revised_text"] == RIGHT
    assert {key: written[key] for key in line} == line


def test_revise_names_a_line_without_sources(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "in.jsonl", [{"id": "7", "text": "It opened."}])
    _, reported = revise(file, "--set", "search=sources", "--out", tmp_path / "out.jsonl")
    assert "line 1: The passage came without the text of any source" in reported
    assert "missing sources: 1" in reported
