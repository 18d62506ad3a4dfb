"""What strategies wrote, on the pages: one answer, a run's list of them, its figures."""

import json
import re
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from pipeline.generation.types import Step
from pipeline.models import Revision, Run
from tests.support.answer_rows import QUESTION, SOURCES, make_answer, make_answer_run
from tests.support.factories import make_passage, make_revision
from tests.support.pages import html_of, text_of

pytestmark = pytest.mark.django_db


def page(client: Client, name: str, *args: object, query: str = "") -> str:
    return html_of(client, reverse(f"pipeline:{name}", args=args) + query)


def test_an_answer_is_statement_by_statement_with_its_citations(as_researcher: Client) -> None:
    row = make_answer(steps=[Step(name="search", text="When did it open?")])
    html = page(as_researcher, "revision", row.pk)
    reported = text_of(html)
    assert QUESTION in reported
    assert "✓ supported by what it cites 0.98 irrelevant: source 2" in reported
    assert (
        "✕ not supported by what it cites 0.33 supported by source 2 , which it does not"
        in reported
    )
    assert "no source has the number 7" in reported
    assert "○ cites no source" in reported
    assert "◐ 1 of 4 supported" in reported
    assert 'href="#evidence-1" data-evidence="1" aria-label="source 1"' in html
    assert '<span class="cite wrong" title="no source has this number">7</span>' in html
    assert "✓ said 1904 ✕ not said 1905" in reported
    assert "It cites a number that none of its sources has." in reported
    assert "search When did it open?" in reported
    assert "citation recall, 4 statements 0.25" in reported
    assert "right answers in the best 1 passage found 0.50" in reported
    assert "Original" not in reported
    assert "1. Marlow Hall" in html
    assert "relevance 0.90 cited by statement 1 , 2" in reported
    assert 'href="ftp:' not in html, "only addresses of the web are links"


def test_an_answer_by_compact_links_the_model_card(as_researcher: Client) -> None:
    row = make_answer()
    assert "small stand-in" not in page(as_researcher, "revision", row.pk)
    Run.objects.update(config=row.run.config | {"llm": "compact"})
    assert page(as_researcher, "revision", row.pk).count("small stand-in") == 1


@pytest.mark.parametrize("broken", ["generation", "citation_scores", "result"])
def test_a_broken_row_has_a_page_all_the_same(as_researcher: Client, broken: str) -> None:
    row = make_answer()
    Revision.objects.update(**{broken: {"no": ["such"], "statements": [{}]}})
    assert "cannot be read" in page(as_researcher, "revision", row.pk)


def test_answers_that_lack_something_have_pages_and_a_file(as_researcher: Client) -> None:
    assert "The answer is empty" in page(as_researcher, "revision", make_answer(text="").pk)
    row = make_answer(text="It fell.", sources=[], gold={})
    reported = text_of(page(as_researcher, "revision", row.pk))
    assert "It was given no source." in reported
    assert "correctness: the dataset has no right answers" in reported
    row = make_answer()
    result = json.loads(page(as_researcher, "revision-json", row.pk))
    assert (result["question"], result["answer"]) == (QUESTION, row.original_text)
    assert [each["number"] for each in result["sources"]] == [1, 2]
    assert result["scores"]["corrected"]["citation_rec"] == 0.25
    assert result["generation"]["problems"] == ["unknown-source", "uncited-end"]
    assert result["run"]["system"] == "vanilla"


def test_a_question_that_failed_or_waits_is_reported(as_researcher: Client) -> None:
    run = make_answer_run()
    for state, message in (("failed", "Not answered"), ("queued", "This question waits")):
        passage = make_passage(run.dataset, text="", context=QUESTION)
        row = make_revision(run, passage=passage, state=state)
        reported = page(as_researcher, "revision", row.pk)
        assert message in reported
        assert "The passage is empty" not in reported


@pytest.fixture
def run() -> Run:
    run = make_answer_run(passage_count=4, state=Run.State.FINISHED)
    make_answer(run, external_id="mixed")
    make_answer(run, "Marlow Hall opened in 1904 [1].", external_id="good")
    make_answer(run, "It is said to be so.", external_id="bare")
    passage = make_passage(run.dataset, external_id="lost", text="", context=QUESTION)
    make_revision(run, passage=passage, state=Revision.State.FAILED, failure="NoQuestion")
    return run


@pytest.mark.parametrize(
    ("chosen", "displayed"),
    [
        ("all", {"mixed", "good", "bare", "lost"}),
        ("failed", {"lost"}),
        ("low", {"mixed", "bare"}),
        ("uncited", {"bare"}),
        ("unknown", {"mixed"}),
        ("form", {"mixed", "bare"}),
    ],
)
def test_the_list_of_answers_is_filtered(
    as_researcher: Client, run: Run, chosen: str, displayed: set[str]
) -> None:
    html = page(as_researcher, "run-revisions", run.pk, query=f"?filter={chosen}")
    links = re.findall(r'<th scope="row"><a [^>]*>([^<]*)</a>', html)
    assert set(links) == displayed
    count = re.search(r'aria-current="true">[^<]* <span class="num">(\d+)', html)
    assert count is not None
    assert int(count[1]) == len(displayed)


def test_the_list_has_the_columns_of_answers(as_researcher: Client, run: Run) -> None:
    reported = text_of(page(as_researcher, "run-revisions", run.pk, query="?sort=-recall"))
    assert reported.index("good") < reported.index("mixed") < reported.index("bare")
    assert "Citation recall" in reported
    assert "Preservation" not in reported
    assert "✎ answered" in reported
    assert "Answers 4" in reported
    assert "Passages" not in reported
    row = run.revisions.get(passage__external_id="mixed")
    reported = text_of(page(as_researcher, "revision", row.pk, query="?filter=low"))
    assert "1 of 2 · recall below 0.5" in reported


def test_the_page_of_the_run_has_means_with_intervals(as_researcher: Client, run: Run) -> None:
    reported = text_of(page(as_researcher, "run", run.pk)).replace("\xa0", " ")
    assert "n = 3 answers, entailment by compact" in reported
    recall = (0.25 + 1 + 0) / 3
    assert f"{recall:.2f}" in reported
    # The bare answer cites nothing: it has no precision.
    assert "citation precision" in reported
    assert "citation precision, no interval: fewer than 5 passages, n = 2" in reported
    assert "share of the short answers that are given" in reported
    assert "answers with format problems" in reported
    assert "preservation" not in reported
    assert "passages changed" not in reported
    assert "passages done" not in reported
    reported = text_of(page(as_researcher, "runs"))
    assert "citations 0.42 recall" in reported
    assert "n = 3; precision 0.60" in reported


def test_answers_are_downloaded_as_alce_has_them(
    as_researcher: Client, run: Run, tmp_path: Any
) -> None:
    response = as_researcher.get(reverse("pipeline:download-run", args=[run.pk]) + "?format=alce")
    assert response["Content-Type"] == "application/json"
    assert f"run-{run.pk}-alce.json" in response["Content-Disposition"]
    data = json.loads(b"".join(response))  # type: ignore[arg-type]
    assert [each["sample_id"] for each in data["data"]] == ["mixed", "good", "bare"]
    assert data["data"][0]["docs"][0]["text"] == SOURCES[0].text
    file = tmp_path / "out.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    call_command("load_passages", str(file), "--dataset", "again")
    assert "download" in page(as_researcher, "run", run.pk)
