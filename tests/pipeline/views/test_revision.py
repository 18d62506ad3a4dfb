"""The page of one revision."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from pipeline.models import Revision
from pipeline.rarr import types
from pipeline.rarr.types import (
    Passage,
    Query,
    Report,
    TraceStep,
)
from tests.support.factories import make_corpus, make_dataset, make_revision, make_run
from tests.support.revision_rows import (
    ORIGINAL,
    RIVER,
    VIADUCT,
    make_finished,
    make_viaduct,
    plain_sentences,
    scored,
    viaduct,
)

pytestmark = pytest.mark.django_db


def url(revision: Revision) -> str:
    return reverse("pipeline:revision", args=[revision.pk])


def page(client: Client, revision: Revision, query: str = "") -> str:
    response = client.get(url(revision) + query)
    assert response.status_code == 200
    return response.content.decode()


def text_of(html: str) -> str:
    """What a person reads: no tags, one space between words."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def test_it_says_where_the_revision_belongs(as_researcher: Client) -> None:
    run = make_run(dataset=make_dataset(name="Bridges"), system="rarr-no-gate")
    html = text_of(page(as_researcher, make_viaduct(run, external_id="viaduct-1")))
    assert f"Run {run.pk}: rarr-no-gate on Bridges" in html
    assert "viaduct-1" in html
    assert "When was the Wenna Viaduct built?" in html


def test_it_shows_the_figures_with_their_names_and_n(as_researcher: Client) -> None:
    run = make_run(config={"entailment": "compact"})
    html = text_of(page(as_researcher, make_viaduct(run)))
    # The run froze no weights: the card's figures must not pass for its own.
    assert "by auto-AIS, here compact , with other weights, or another parser, than" in html
    for figure in (
        "attribution, auto-AIS, 4 sentences 0.51 → 0.73",
        "preservation, Levenshtein 0.98",
        "F1 AP 0.83",
        "edits kept, 1 rejected 2",
        "7 queries, 0 model calls 0.4 s",
    ):
        assert figure in html


def test_partly_attributed_text_is_called_so(as_researcher: Client) -> None:
    html = page(as_researcher, make_viaduct())
    assert "◐ Partly attributed, 3 of 4" in text_of(html)
    assert "3 of 4 sentences are attributed; before the revision 2 of 4." in text_of(html)
    assert '<a href="#after-4">sentence 4</a>' in html


def test_every_sentence_has_a_word_an_icon_a_score_and_its_evidence(as_researcher: Client) -> None:
    html = page(as_researcher, make_viaduct())
    told = text_of(html)
    assert "≠ contradicted 0.91 by evidence 1" in told
    assert "✓ attributed 0.95 by evidence 1" in told
    assert "✕ not attributed 0.12 closest: evidence 2" in told
    assert 'href="#evidence-1"' in html
    assert 'id="evidence-1"' in html


def test_a_change_is_told_to_a_screen_reader(as_researcher: Client) -> None:
    html = page(as_researcher, make_viaduct())
    assert '<del><span class="sr">removed: </span>1879</del>' in html
    assert '<ins><span class="sr">added: </span>1874</ins>' in html


def test_the_report_marks_the_answer_and_links_the_source(as_researcher: Client) -> None:
    html = page(as_researcher, make_viaduct())
    assert "<mark>1874</mark>" in html
    assert (
        '<a href="https://rails.example/wenna?lang=en&amp;page=2" '
        'rel="noopener noreferrer nofollow" target="_blank">'
    ) in html
    assert "most relevant to 3 of 7 queries" in html


def test_a_source_that_is_no_web_address_is_plain_text(as_researcher: Client) -> None:
    html = page(as_researcher, make_viaduct())
    assert RIVER.url in html
    assert f'href="{RIVER.url}"' not in html


def test_the_trace_tells_verdict_edit_rejection_and_error(as_researcher: Client) -> None:
    told = text_of(page(as_researcher, make_viaduct()))
    assert "Both say the coast railway. Agrees." in told
    assert "Edit rejected: The edit changes 72 characters; the limit is 50." in told
    assert "no evidence found Who says that the trains sing?" in told
    assert "UnreadableReply The reply names no verdict." in told
    assert "Well, it depends on how one looks at it." in told
    assert "TransientError One search timed out and was left." in told


@pytest.mark.parametrize(
    ("state", "run_state", "sentence"),
    [
        ("queued", "running", "waits for a worker"),
        ("queued", "paused", "its run is paused"),
        ("queued", "cancelled", "its run was cancelled"),
        ("running", "running", "is being revised"),
    ],
)
def test_a_revision_that_is_not_done_says_so(
    as_researcher: Client, state: str, run_state: str, sentence: str
) -> None:
    html = page(as_researcher, make_revision(make_run(state=run_state), state=state))
    assert sentence in html
    assert "The Ribble flows into the North Sea." in html


@pytest.mark.parametrize(
    ("state", "run_state", "asks"),
    [
        ("queued", "running", True),
        ("running", "running", True),
        ("queued", "paused", False),
        ("failed", "running", False),
        ("done", "running", False),
    ],
)
def test_the_page_asks_again_only_while_there_is_something_to_come(
    as_researcher: Client, state: str, run_state: str, asks: bool
) -> None:
    revision = make_revision(make_run(state=run_state), state=state)
    assert ("hx-select=" in page(as_researcher, revision)) is asks


def test_a_failed_revision_says_why_and_offers_another_try(as_researcher: Client) -> None:
    revision = make_revision(
        state=Revision.State.FAILED,
        failure="TransientError",
        failure_message="The server answered 503.",
        attempts=3,
    )
    html = page(as_researcher, revision)
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
def test_a_result_that_cannot_be_read_is_said_and_the_texts_stay(
    as_researcher: Client, values: dict[str, Any]
) -> None:
    revision = make_viaduct()
    Revision.objects.filter(pk=revision.pk).update(**values)
    html = page(as_researcher, revision)
    assert "cannot be read" in html
    assert "nineteen arches" in html
    assert "seventeen arches" in html


def test_an_empty_passage_has_a_page(as_researcher: Client) -> None:
    revision = make_finished(types.Revision(passage=Passage(id="e", text=""), text=""))
    told = text_of(page(as_researcher, revision))
    assert "The passage is empty" in told
    assert "No question was asked" in told
    assert "– → –" in told


def test_a_passage_without_evidence_is_not_attributed(as_researcher: Client) -> None:
    asked = Query(text="What is it?")
    nothing = TraceStep(query=asked, text_before=ORIGINAL, text_after=ORIGINAL)
    revision = types.Revision(
        passage=Passage(id="n", text=ORIGINAL), text=ORIGINAL, queries=(asked,), trace=(nothing,)
    )
    run = make_run(corpus=make_corpus(name="Small encyclopedia"))
    told = text_of(page(as_researcher, make_finished(revision, run=run)))
    assert "✕ Not attributed" in told
    assert "No evidence was found, so nothing in this text" in told
    assert "No evidence was found in the corpus “Small encyclopedia”" in told
    assert "= unchanged" in told


def test_ten_thousand_words_make_a_page(as_researcher: Client) -> None:
    text = " ".join(f"Sentence number {n} has exactly ten words of text here." for n in range(1000))
    revised = text.replace("number 500 has", "number 500 had")
    figures = [(0.9, 0, 0.0, 0)] * 1000
    revision = types.Revision(
        passage=Passage(id="l", text=text), text=revised, report=Report(evidence=(VIADUCT,))
    )
    row = make_finished(
        revision, plain_sentences(scored(text, *figures), scored(revised, *figures))
    )
    html = page(as_researcher, row)
    assert "All 1000 sentences are attributed" in html
    assert 'id="after-1000"' in html
    assert html.count("<ins>") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("大桥于1934年通车。由港务局设计。", "大桥于1932年通车。由港务局设计。"),
        ("افتتح الجسر 1934", "افتتح الجسر 1932"),
    ],
)
def test_other_scripts_show_the_change_and_choose_their_direction(
    as_researcher: Client, old: str, new: str
) -> None:
    html = page(
        as_researcher, make_finished(types.Revision(passage=Passage(id="z", text=old), text=new))
    )
    assert '<p class="words" dir="auto">' in html
    assert '<ins><span class="sr">added: </span>1932</ins>' in html


def test_hostile_text_stays_text(as_researcher: Client) -> None:
    bad = "<script>alert(1)</script>"
    url = "javascript:alert(1)"
    evidence = replace(VIADUCT, title=bad, heading=bad, url=url, text=f"{bad} {VIADUCT.text}")
    error = types.StepError(kind=bad, message=bad, reply=bad)
    found = viaduct().trace[1]
    assert found.agreement
    agreement = replace(found.agreement, reason=bad, passage_answer=bad)
    step = replace(
        found, query=Query(text=bad), evidence=evidence, agreement=agreement, edit_reason=bad,
        error=error,
    )  # fmt: skip
    revision = replace(
        viaduct(), trace=(step,), errors=(error,),
        report=Report(evidence=(evidence,), covers=((bad,),)),
    )  # fmt: skip
    row = make_finished(revision, external_id=f"<b>{bad}")
    html = page(as_researcher, row, f"?q={bad}")
    assert "alert(1)" in html
    assert "<script>alert" not in html
    assert "<b>" not in html.replace("<b>0", "").replace("<b>–", "")
    assert 'href="javascript' not in html.lower()


def test_previous_and_next_lead_through_the_run(as_researcher: Client) -> None:
    run = make_run()
    first, second, third = (make_viaduct(run) for _ in range(3))
    html = page(as_researcher, second)
    assert re.search(rf'rel="prev"[^>]*href="{url(first)}"', html)
    assert re.search(rf'rel="next"[^>]*href="{url(third)}"', html)
    assert "2 of 3" in html
    assert 'rel="prev"' not in page(as_researcher, first)
    assert 'rel="next"' not in page(as_researcher, third)


def test_the_way_through_a_filtered_list_is_kept(as_researcher: Client) -> None:
    run = make_run()
    here, _, last = (
        make_viaduct(run, is_changed=True),
        make_viaduct(run, is_changed=False),
        make_viaduct(run, is_changed=True),
    )
    html = page(as_researcher, here, "?filter=changed&q=Wenna")
    assert f'href="{url(last)}?filter=changed&amp;q=Wenna"' in html
    assert "1 of 2 · changed · “Wenna”" in html


def test_a_report_without_its_queries_is_read(as_researcher: Client) -> None:
    bare = replace(viaduct(), report=Report(evidence=(VIADUCT,)))
    found = page(as_researcher, make_finished(bare))
    assert escape(VIADUCT.url) in found
    assert "of 7 queries</span>" not in found  # nobody said which it answers


@pytest.mark.parametrize(("is_exact", "times"), [(True, 0), (False, 1)])
def test_a_report_that_may_not_be_the_best_says_so(
    as_researcher: Client, is_exact: bool, times: int
) -> None:
    revision = types.Revision(
        passage=Passage(id="p", text="A text."),
        text="A text.",
        report=types.Report(is_exact=is_exact),
    )
    page = as_researcher.get(make_finished(revision).get_absolute_url()).content.decode()
    assert page.count("may not be the best") == times
