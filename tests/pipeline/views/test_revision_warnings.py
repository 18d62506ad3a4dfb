"""What the page of a revision warns of: pages left out, sentences left behind, conflicts."""

from dataclasses import replace

import pytest
from django.test import Client

from pipeline.rarr import types
from tests.support.factories import make_run
from tests.support.pages import page_of, text_of
from tests.support.revision_rows import (
    ORIGINAL,
    REVISED,
    make_finished,
    make_viaduct,
    plain_sentences,
    scored,
    span_of,
    viaduct,
)

pytestmark = pytest.mark.django_db


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
    row = make_finished(
        viaduct(),
        plain_sentences(scored(ORIGINAL, *figures), scored(REVISED, *figures)),
    )
    html = page_of(as_researcher, row)
    reported = text_of(html)
    assert "Best contradiction 2 evidence 1 ✓ 0.95 evidence 2 ≠ 0.80" in reported
    assert "restrictive 0.70 → 0.70" in reported
    plain = text_of(page_of(as_researcher, make_viaduct()))
    assert "Conflicting evidence" not in plain
    assert "May no longer fit" not in plain


def test_the_page_names_both_models_that_differ(
    as_researcher: Client,
) -> None:
    run = make_run(config={"entailment": "hf:an/nli", "llm": "openai:writer"})
    reported = text_of(page_of(as_researcher, make_viaduct(run)))
    assert "Marks and attribution are by auto-AIS, here hf:an/nli" in reported
    assert "Verdicts by the agreement gate (openai:writer): they compare one answer" in reported
    assert "The agreement gate (openai:writer) differs on sentence 3 : it" in reported
    assert "The gate decides edits; auto-AIS only measures." in reported
    message = "Auto-AIS (hf:an/nli): attributed. The gate (openai:writer): disagrees, in step 4 ."
    assert message in reported
    assert "Auto-AIS differs: sentence 3 attributed." in reported


def test_without_conflicts_or_a_gate_nothing_is_explained(as_researcher: Client) -> None:
    calm = text_of(
        page_of(as_researcher, make_finished(replace(viaduct(), trace=viaduct().trace[:1])))
    )
    assert "Verdicts by the agreement gate:" in calm
    assert "auto-AIS only measures" not in calm
    row = make_viaduct(make_run(system="rarr-no-agreement"))
    without_gate = text_of(page_of(as_researcher, row))
    assert "agreement gate" not in without_gate
    for text in (calm, without_gate):
        assert "differs on" not in text
        assert "Auto-AIS differs" not in text


def test_irrelevant_evidence_is_explained_for_each_model(
    as_researcher: Client,
) -> None:
    step = viaduct().trace[4]
    assert step.agreement is not None
    irrelevant = replace(step.agreement, passage_span=span_of(REVISED, "trains"))
    revision = replace(viaduct(), trace=(replace(step, agreement=irrelevant),), text=REVISED)
    figures = ((0.9, 0, 0.0, 0),) * 3 + ((0.12, 0, 0.93, 1),)
    sentences = plain_sentences(scored(ORIGINAL, *figures), scored(REVISED, *figures))
    reported = text_of(page_of(as_researcher, make_finished(revision, sentences)))
    assert "✕ not attributed 0.12" in reported
    message = (
        "takes evidence 2 for a contradiction, 0.93; the gate found no answer to compare, in step"
    )
    assert message in reported
    assert "≠" not in reported
    assert "Auto-AIS differs: sentence 4 contradicted." in reported


@pytest.mark.parametrize(
    ("score", "reported"), [(0.12, "is not attributed"), (0.9, "is attributed")]
)
def test_the_level_of_one_sentence_shows_whether_it_is_attributed(
    as_researcher: Client, score: float, reported: str
) -> None:
    text = ORIGINAL.partition(". ")[0] + "."
    one = replace(viaduct(), trace=(), passage=types.Passage(id="1", text=text), text=text)
    sentences = scored(text, (score, 0, 0.0, 0))
    row = make_finished(one, plain_sentences(sentences, sentences))
    assert f"The one sentence {reported}" in text_of(page_of(as_researcher, row))
