"""The page of a revision, its warnings and its file."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from pipeline.models import Revision, Run
from pipeline.rarr import types
from pipeline.rarr.types import Passage, Query, Report, TraceStep
from tests.support.factories import make_corpus, make_dataset, make_revision, make_run
from tests.support.pages import page_of, text_of
from tests.support.revision_rows import (
    ORIGINAL,
    REVISED,
    RIVER,
    VIADUCT,
    make_finished,
    make_viaduct,
    plain_sentences,
    scored,
    span_of,
    viaduct,
)

pytestmark = pytest.mark.django_db


def test_it_tells_figures_sentences_report_and_trace(as_researcher: Client) -> None:
    dataset = make_dataset(name="Bridges")
    run = make_run(dataset=dataset, system="rarr-no-gate", config={"entailment": "compact"})
    html = page_of(as_researcher, make_viaduct(run, external_id="viaduct-1"))
    reported = text_of(html)
    for words in (
        f"Run {run.pk}: rarr-no-gate on Bridges",
        "viaduct-1",
        "When was the Wenna Viaduct built?",
        "by auto-AIS, here compact , with other weights, or another parser, than those of the "
        "model card",
        "mean attribution, auto-AIS 0.51 → 0.73",
        "preservation, Levenshtein 0.98",
        "F1 AP 0.83",
        "edits accepted, 1 rejected 2",
        "7 queries, 0 model calls 0.4 s",
        "3 of 4 sentences attributed (before: 2 of 4).",
        "≠ contradicted 0.91 by evidence 1",
        "✓ attributed 0.95 by evidence 1",
        "✕ not attributed 0.12 closest: evidence 2",
        "supports sentences 2 and 3",
        "Evidence 1: most relevant to 3 of 7 queries: ",
        "supports sentence 1",
        RIVER.url,
        "Both say the coast railway. Agrees.",
        "Edit rejected: The edit changes 72 characters; the limit is 50.",
        "no evidence found Who says that the trains sing?",
        "UnreadableReply The reply names no verdict.",
        "Well, it depends on how one looks at it.",
        "TransientError One search timed out and was left.",
    ):
        assert words in reported, words
    for markup in (
        'aria-label="sentence 4">4</a>',
        'href="#evidence-1"',
        'id="evidence-1"',
        '<del><span class="sr">removed: </span>1879</del>',
        '<ins><span class="sr">added: </span>1874</ins>',
        "<mark>Ada Thorne</mark>",
        "<mark>seventeen</mark>",
        "<mark>1874</mark>",
        '<a href="https://rails.example/wenna?lang=en&amp;page=2" '
        'rel="noopener noreferrer nofollow" target="_blank">',
    ):
        assert markup in html, markup
    assert f'href="{RIVER.url}"' not in html


@pytest.mark.parametrize(
    ("state", "run_state", "polls", "sentence"),
    [
        ("queued", "running", True, "waits for a worker"),
        ("running", "running", True, "is being revised"),
        ("queued", "paused", False, "its run is paused"),
        ("queued", "cancelled", False, "its run was cancelled"),
        ("failed", "running", False, "Not revised"),
        ("done", "running", False, ""),
    ],
)
def test_the_page_polls_only_while_the_passage_waits_or_is_revised(
    as_researcher: Client, state: str, run_state: str, polls: bool, sentence: str
) -> None:
    html = page_of(as_researcher, make_revision(make_run(state=run_state), state=state))
    assert sentence in html
    assert "The Ribble flows into the North Sea." in html
    assert ("hx-select=" in html) is polls


def test_a_failed_revision_gives_the_reason_and_offers_another_try(as_researcher: Client) -> None:
    failure = {"failure": "TransientError", "failure_message": "The server answered 503."}
    revision = make_revision(state=Revision.State.FAILED, attempts=3, **failure)
    html = page_of(as_researcher, revision)
    assert "Not revised: transient error." in html
    assert "The server answered 503." in html
    assert "3 attempts" in html
    assert reverse("pipeline:retry-run", args=[revision.run_id]) in html


@pytest.mark.parametrize(
    "values",
    [
        {"result": {}},
        {"result": {"nope": 1}},
        {"result": []},
        {"sentences": {"before": [{"nope": 1}], "after": []}},
        {"sentences": []},
    ],
)
def test_a_result_that_cannot_be_read_is_reported_and_the_texts_stay(
    as_researcher: Client, values: dict[str, Any]
) -> None:
    revision = make_viaduct()
    Revision.objects.filter(pk=revision.pk).update(**values)
    html = page_of(as_researcher, revision)
    assert "cannot be read" in html
    assert "nineteen arches" in html
    assert "seventeen arches" in html


def test_an_empty_passage_has_a_page(as_researcher: Client) -> None:
    revision = make_finished(types.Revision(passage=Passage(id="e", text=""), text=""))
    reported = text_of(page_of(as_researcher, revision))
    assert "The passage is empty" in reported
    assert "No question was asked" in reported
    assert "– → –" in reported


def test_a_passage_without_evidence_is_not_attributed(as_researcher: Client) -> None:
    requests = Query(text="What is it?")
    nothing = TraceStep(query=requests, text_before=ORIGINAL, text_after=ORIGINAL)
    revision = types.Revision(
        passage=Passage(id="n", text=ORIGINAL), text=ORIGINAL, queries=(requests,), trace=(nothing,)
    )
    run = make_run(corpus=make_corpus(name="Small encyclopedia"))
    reported = text_of(page_of(as_researcher, make_finished(revision, run=run)))
    assert "No evidence was found, so nothing in this text" in reported
    assert "No evidence was found in the corpus “Small encyclopedia”" in reported
    assert "= unchanged" in reported


def test_ten_thousand_words_make_a_page(as_researcher: Client) -> None:
    text = " ".join(f"Sentence number {n} has exactly ten words of text here." for n in range(1000))
    revised = text.replace("number 500 has", "number 500 had")
    figures = [(0.9, 0, 0.0, 0)] * 1000
    revision = types.Revision(
        passage=Passage(id="l", text=text), text=revised, report=Report(evidence=(VIADUCT,))
    )
    sentences = plain_sentences(scored(text, *figures), scored(revised, *figures))
    html = page_of(as_researcher, make_finished(revision, sentences))
    assert "1000 of 1000 sentences attributed" in text_of(html)
    assert 'id="after-1000"' in html
    assert html.count("<ins>") == 1


@pytest.mark.parametrize("old", ["大桥于1934年通车。由港务局设计。", "افتتح الجسر 1934"])
def test_other_scripts_have_their_direction(as_researcher: Client, old: str) -> None:
    passage, new = Passage(id="z", text=old), old.replace("1934", "1932")
    html = page_of(as_researcher, make_finished(types.Revision(passage=passage, text=new)))
    assert '<p class="words" dir="auto">' in html
    assert '<ins><span class="sr">added: </span>1932</ins>' in html


def test_previous_and_next_lead_through_the_list(as_researcher: Client) -> None:
    run = make_run()
    first, second, third = (make_viaduct(run, is_changed=each) for each in (True, False, True))
    html = page_of(as_researcher, second)
    assert re.search(rf'rel="prev"[^>]*href="{first.get_absolute_url()}"', html)
    assert re.search(rf'rel="next"[^>]*href="{third.get_absolute_url()}"', html)
    assert "2 of 3" in html
    assert 'rel="prev"' not in page_of(as_researcher, first)
    assert 'rel="next"' not in page_of(as_researcher, third)
    html = page_of(as_researcher, first, "?filter=changed&q=Wenna")
    assert f'href="{third.get_absolute_url()}?filter=changed&amp;q=Wenna"' in html
    assert "1 of 2 · changed · “Wenna”" in html


@pytest.mark.parametrize(("is_exact", "times"), [(True, 0), (False, 1)])
def test_a_report_may_lack_its_queries_or_not_be_the_best(
    as_researcher: Client, is_exact: bool, times: int
) -> None:
    report = Report(evidence=(VIADUCT,), is_exact=is_exact)
    html = page_of(as_researcher, make_finished(replace(viaduct(), report=report)))
    assert escape(VIADUCT.url) in html
    assert "of 7 queries" not in html
    assert html.count("may not be the best") == times


def test_the_download_is_the_public_line_with_its_run(as_researcher: Client) -> None:
    run: Run = make_run(config={"system": "rarr"}, versions={"rarrweb": "0.1.0"})
    revision = make_viaduct(run, external_id="viaduct-1")
    address = reverse("pipeline:revision-json", args=[revision.pk])
    response = as_researcher.get(address)
    assert response["Content-Disposition"] == f'attachment; filename="revision-{revision.pk}.json"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Type"] == "application/json"
    line = json.loads(response.content)
    assert (line["id"], line["text"]) == ("viaduct-1", ORIGINAL)
    assert line["result"]["revisions"][0]["revised_text"] == viaduct().text
    assert line["result"]["scores"]["attribution_after"] == 0.7275
    assert len(line["result"]["scores"]["sentences"]["after"]) == 4
    assert line["result"]["usage"]["queries"] == 7
    assert line["run"]["config"] == {"system": "rarr"}
    assert line["run"]["versions"] == {"rarrweb": "0.1.0"}
    assert f'href="{address}"' in page_of(as_researcher, revision)
    assert "revision.json" not in page_of(as_researcher, make_revision())


@pytest.mark.parametrize("values", [{"state": "queued"}, {"state": "failed"}, {"result": {}}])
def test_there_is_no_download_without_a_result(
    as_researcher: Client, values: dict[str, Any]
) -> None:
    revision = make_viaduct(**values)
    assert as_researcher.get(f"{revision.get_absolute_url()}revision.json").status_code == 404


def test_pages_excluded_are_shown_with_their_reasons_and_escaped(as_researcher: Client) -> None:
    excluded = (
        types.SkippedPage(
            url="https://a.example/x", kind="RefusedByRobots", reason="It asks for it."
        ),
        types.SkippedPage(url="javascript:alert(1)", kind="BadUrl", reason="<b>Bad</b> address."),
    )
    revision = make_finished(replace(viaduct(), skipped_pages=excluded))
    html = page_of(as_researcher, revision)
    assert "2 pages skipped" in text_of(html)
    assert '<a class="mono" href="https://a.example/x" rel="noreferrer nofollow">' in html
    assert 'href="javascript' not in html
    assert "&lt;b&gt;Bad&lt;/b&gt; address." in html
    assert "skipped" not in page_of(as_researcher, make_viaduct())


def test_conflicts_are_shown(as_researcher: Client) -> None:
    figures = ((0.94, 1, 0.01, 0), (0.95, 0, 0.8, 1), (0.9, 0, 0.1, 0), (0.12, 1, 0.93, 0))
    sentences = plain_sentences(scored(ORIGINAL, *figures), scored(REVISED, *figures))
    reported = text_of(page_of(as_researcher, make_finished(viaduct(), sentences)))
    assert "Best contradiction 2 evidence 1 ✓ 0.95 evidence 2 ≠ 0.80" in reported
    assert "restrictive 0.70 → 0.70" in reported
    plain = text_of(page_of(as_researcher, make_viaduct()))
    assert "Conflicting evidence" not in plain
    assert "May no longer fit" not in plain


def test_the_page_names_both_models_that_differ(as_researcher: Client) -> None:
    run = make_run(config={"entailment": "hf:an/nli", "llm": "openai:writer"})
    reported = text_of(page_of(as_researcher, make_viaduct(run)))
    assert "Marks and attribution are by auto-AIS, here hf:an/nli" in reported
    assert "the agreement model (openai:writer) compares the passage’s answer with one" in reported
    assert "The agreement model and auto-AIS disagree on sentence 3 ." in reported
    assert "Only the agreement model triggers edits." in reported
    message = "Auto-AIS: attributed. The agreement model: disagrees, in step 4 ."
    assert message in reported
    assert "Auto-AIS differs: sentence 3 attributed." in reported


def test_without_conflicts_or_a_gate_nothing_is_explained(as_researcher: Client) -> None:
    row = make_finished(replace(viaduct(), trace=viaduct().trace[:1]))
    calm = text_of(page_of(as_researcher, row))
    assert "the agreement model compares" in calm
    assert "triggers edits" not in calm
    row = make_viaduct(make_run(system="rarr-no-agreement"))
    without_gate = text_of(page_of(as_researcher, row))
    assert "agreement model" not in without_gate
    for text in (calm, without_gate):
        assert "differs on" not in text
        assert "Auto-AIS differs" not in text


def test_irrelevant_evidence_is_explained_for_each_model(as_researcher: Client) -> None:
    step = viaduct().trace[4]
    assert step.agreement is not None
    irrelevant = replace(step.agreement, passage_span=span_of(REVISED, "trains"))
    revision = replace(viaduct(), trace=(replace(step, agreement=irrelevant),), text=REVISED)
    figures = ((0.9, 0, 0.0, 0),) * 3 + ((0.12, 0, 0.93, 1),)
    sentences = plain_sentences(scored(ORIGINAL, *figures), scored(REVISED, *figures))
    reported = text_of(page_of(as_researcher, make_finished(revision, sentences)))
    assert "✕ not attributed 0.12" in reported
    gate = "The agreement model found no answer to compare, in step"
    assert f"Auto-AIS: evidence 2 contradicts this (0.93). {gate}" in reported
    assert "≠" not in reported
    assert "Auto-AIS differs: sentence 4 contradicted." in reported


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (0.12, "0 of 1 sentence attributed , as before. Not supported: sentence 1 ."),
        (0.9, "1 of 1 sentence attributed , as before."),
    ],
)
def test_the_level_of_one_sentence_shows_whether_it_is_attributed(
    as_researcher: Client, score: float, expected: str
) -> None:
    text = ORIGINAL.partition(". ")[0] + "."
    one = replace(viaduct(), trace=(), passage=types.Passage(id="1", text=text), text=text)
    sentences = scored(text, (score, 0, 0.0, 0))
    row = make_finished(one, plain_sentences(sentences, sentences))
    assert expected in text_of(page_of(as_researcher, row))
