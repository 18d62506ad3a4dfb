"""What the page of one revision shows, without a client or a database."""

from dataclasses import replace

import pytest

from pipeline.diff.words import PieceKind
from pipeline.engine.auto_ais import Scores
from pipeline.pages.revision_page import (
    AttributionLevel,
    RevisionPage,
    TraceRow,
    mark_spans,
    read_page,
)
from pipeline.rarr.types import (
    EditOutcome,
    Evidence,
    Passage,
    Query,
    Report,
    Revision,
    TraceStep,
    Verdict,
)
from pipeline.text.spans import Span
from tests.support.revision_rows import (
    ORIGINAL,
    REVISED,
    RIVER,
    VIADUCT,
    VIADUCT_AFTER,
    VIADUCT_BEFORE,
    scored,
    viaduct,
)


def page(revision: Revision | None = None, after: list[float] | None = None) -> RevisionPage:
    figures = VIADUCT_AFTER
    if after is not None:
        figures = tuple((entailed, 0, 0.0, 0) for entailed in after)
    scores = Scores(before=scored(ORIGINAL, *VIADUCT_BEFORE), after=scored(REVISED, *figures))
    return read_page(revision or viaduct(), scores)


def row_of(css_class: str) -> TraceRow:
    return next(row for row in page().trace if row.css_class == css_class)


@pytest.mark.parametrize(
    ("after", "level"),
    [
        ([0.9, 0.5, 0.8, 1.0], AttributionLevel.ALL),
        ([0.9, 0.49, 0.8, 1.0], AttributionLevel.PARTLY),
        ([0.1, 0.0, 0.3, 0.6], AttributionLevel.PARTLY),
        ([0.1, 0.0, 0.3, 0.4], AttributionLevel.NONE),
    ],
)
def test_the_level_is_all_partly_or_none(after: list[float], level: AttributionLevel) -> None:
    assert page(after=after).attribution.level is level


def test_a_text_with_one_attributed_sentence_in_a_hundred_is_partly_attributed() -> None:
    text = " ".join(f"Sentence {n} says little." for n in range(100))
    after = tuple(
        replace(score, entailed=0.9 if at == 0 else 0.1)
        for at, score in enumerate(scored(text, *[(0.1, 0, 0.0, 0)] * 100))
    )
    revision = Revision(
        passage=Passage(id="long", text=text), text=text, report=Report(evidence=(VIADUCT,))
    )
    attribution = read_page(revision, Scores(before=after, after=after)).attribution
    assert attribution.level is AttributionLevel.PARTLY
    assert len(attribution.unattributed) + attribution.unattributed_more == 99
    assert len(attribution.unattributed) <= 20


def test_a_text_without_scores_is_not_called_attributed() -> None:
    assert read_page(viaduct(), Scores(before=())).attribution.level is AttributionLevel.NOT_SCORED


def test_an_irrelevant_snippet_answers_nothing() -> None:
    revision = viaduct()
    step = revision.trace[0]
    assert step.agreement is not None
    neighbour = replace(step, agreement=replace(step.agreement, verdict=Verdict.IRRELEVANT))
    card = page(replace(revision, trace=(neighbour,))).cards[1]
    assert not any(stretch.is_marked for stretch in card.quote.stretches)


def test_a_snippet_has_the_number_of_its_report_for_any_query() -> None:
    elsewhere = replace(VIADUCT, query="Another question?", relevance=0.1)
    revision = viaduct()
    trace = tuple(
        replace(step, evidence=elsewhere) if step.evidence == VIADUCT else step
        for step in revision.trace
    )
    reported = page(replace(revision, trace=trace))
    assert any(stretch.is_marked for stretch in reported.cards[0].quote.stretches)
    assert [t.quote.number for t in reported.trace if t.quote] == [2, 1, 1, 1, 2, 2]
    [other, *_] = page(replace(revision, report=Report(evidence=(RIVER,), covers=((),)))).trace[1:]
    assert other.quote is not None
    assert other.quote.number is None


def test_the_trace_has_each_step_and_which_are_quiet() -> None:
    reported = page()
    assert [(row.css_class, row.words, row.is_no_op) for row in reported.trace] == [
        ("agrees", "agrees", True),
        ("accepted", "edit accepted", False),
        ("accepted", "edit accepted", False),
        ("rejected", "edit rejected", False),
        ("irrelevant", "no answer to compare", True),
        ("nothing", "no evidence found", True),
        ("error", "error", False),
    ]
    assert [row.number for row in reported.event_rows] == [2, 3, 4, 7]
    assert [row.number for row in reported.no_op_rows] == [1, 5, 6]
    assert (2, "edit accepted") in reported.tally
    assert sum(count for count, _ in reported.tally) == 7


def test_an_edit_shows_its_own_change_or_what_was_rejected_and_why() -> None:
    changes = [(p.kind, p.text) for p in row_of("accepted").change if p.kind is not PieceKind.SAME]
    assert changes == [(PieceKind.REMOVED, "1879"), (PieceKind.ADDED, "1874")]
    rejected = row_of("rejected")
    assert "limit is 50" in rejected.step.edit_reason
    assert any("Nobody knows" in p.text for p in rejected.change if p.kind is PieceKind.ADDED)


@pytest.mark.parametrize("outcome", [each for each in EditOutcome if each.is_rejection])
def test_whatever_an_edit_was_rejected_for_it_is_reported_as_rejected(outcome: EditOutcome) -> None:
    revision = viaduct()
    (step,) = (step for step in revision.trace if step.rejected_text)
    rejected = replace(step, edit_outcome=outcome)
    (reported,) = page(replace(revision, trace=(rejected,))).trace
    assert (reported.css_class, reported.words) == ("rejected", "edit rejected")


def test_the_answers_are_excluded_where_the_reason_quotes_them() -> None:
    assert not row_of("accepted").has_answers
    assert not row_of("irrelevant").has_answers
    revision = viaduct()
    step = revision.trace[1]
    assert step.agreement is not None
    silent = replace(step, agreement=replace(step.agreement, reason="They differ."))
    assert page(replace(revision, trace=(silent,))).trace[0].has_answers


def test_a_step_that_was_not_judged_is_reported() -> None:
    step = TraceStep(query=Query(text="Q?"), evidence=RIVER, text_before="a", text_after="a")
    assert page(replace(viaduct(), trace=(step,))).trace[0].words == "not judged"


@pytest.mark.parametrize(
    ("spans", "displayed"),
    [
        ([], "abcdef"),
        ([(1, 3)], "a[bc]def"),
        ([(1, 3), (2, 5)], "a[bc][de]f"),
        ([(1, 3), (1, 3)], "a[bc]def"),
        ([(4, 99)], "abcd[ef]"),
        ([(-3, 2)], "[ab]cdef"),
        ([(4, 2), (50, 60)], "abcdef"),
    ],
)
def test_spans_are_marked_once_and_inside_the_text(
    spans: list[tuple[int, int]], displayed: str
) -> None:
    stretches = mark_spans("abcdef", [Span(start=start, end=end) for start, end in spans])
    assert "".join(f"[{s.text}]" if s.is_marked else s.text for s in stretches) == displayed


def test_a_heading_that_repeats_the_title_is_excluded() -> None:
    same: Evidence = replace(VIADUCT, heading=VIADUCT.title)
    reported = page(replace(viaduct(), report=Report(evidence=(same,))))
    assert reported.cards[0].quote.heading == ""


def test_an_edit_from_several_snippets_shows_them_all() -> None:
    step = TraceStep(
        query=Query(text="All evidence at once"),
        evidence=VIADUCT,
        additional_evidence=(RIVER, VIADUCT),
        edit_outcome=EditOutcome.ACCEPTED,
        text_before=ORIGINAL,
        text_after=REVISED,
    )
    [reported] = page(replace(viaduct(), trace=(step,))).trace
    assert reported.css_class == "accepted"
    assert [quote.number for quote in reported.extra_evidence] == [2, 1]
