"""What the page shows for a sentence on which auto-AIS and the agreement gate differ."""

from dataclasses import replace

import pytest

from pipeline.engine.auto_ais import Scores
from pipeline.pages.revision_page import RevisionPage, read_page
from pipeline.pages.sentence_pairs import GateConflict, Mark, MarkedSentence
from pipeline.rarr.types import (
    Agreement,
    EditOutcome,
    Evidence,
    Passage,
    Query,
    Report,
    Revision,
    TraceStep,
    Verdict,
)
from tests.support.revision_rows import RIVER, VIADUCT, scored, span_of

MILL = "The Ardle mill stands on the Wenna."
YEAR = "It was built in 1703."
WHEEL = "Its wheel is of oak."
TEXT = f"{MILL} {YEAR} {WHEEL}"
AGREES, DISAGREES, IRRELEVANT = Verdict.AGREES, Verdict.DISAGREES, Verdict.IRRELEVANT

SUPPORTED, UNSUPPORTED = (0.9, 0, 0.0, 0), (0.2, 0, 0.1, 0)
AGAINST_FIRST, AGAINST_SECOND = (0.2, 0, 0.8, 0), (0.2, 0, 0.8, 1)
SUPPORTED_AGAINST_SECOND = (0.9, 0, 0.8, 1)


def judged(
    words: str,
    verdict: Verdict,
    *,
    evidence: Evidence = VIADUCT,
    before: str = TEXT,
    after: str = "",
) -> TraceStep:
    """A step about some words of the text before it, or about all of it; `after` a kept edit."""
    return TraceStep(
        query=Query(text=f"{words}?"),
        evidence=evidence,
        agreement=Agreement(
            verdict=verdict, reason="", passage_span=span_of(before, words) if words else None
        ),
        edit_outcome=EditOutcome.ACCEPTED if after else EditOutcome.NONE,
        text_before=before,
        text_after=after or before,
    )


def page(
    *trace: TraceStep,
    before: tuple[tuple[float, int, float, int], ...],
    after: tuple[tuple[float, int, float, int], ...] = (),
    has_gate: bool = True,
) -> RevisionPage:
    x, y = trace[0].text_before, trace[-1].text_after
    return read_page(
        Revision(
            passage=Passage(id="mill", text=x),
            text=y,
            trace=trace,
            report=Report(evidence=(VIADUCT, RIVER)),
        ),
        Scores(before=scored(x, *before), after=scored(y, *(after or before))),
        has_gate=has_gate,
    )


def differing(reported: RevisionPage) -> list[tuple[str, int, GateConflict | None]]:
    return [(each.side, each.number, each.gate) for each in reported.differing]


def sentence(reported: RevisionPage, number: int) -> MarkedSentence:
    return next(each for pair in reported.pairs for each in pair.after if each.number == number)


@pytest.mark.parametrize(
    ("figures", "verdict", "differs"),
    [
        (SUPPORTED, DISAGREES, True),
        (UNSUPPORTED, AGREES, True),
        (AGAINST_SECOND, AGREES, True),
        (SUPPORTED, AGREES, False),
        (SUPPORTED, IRRELEVANT, False),
        (UNSUPPORTED, DISAGREES, False),
        (UNSUPPORTED, IRRELEVANT, False),
        (AGAINST_SECOND, DISAGREES, False),
        (AGAINST_SECOND, IRRELEVANT, False),  # of other evidence than what contradicts it
    ],
)
def test_a_verdict_that_reports_otherwise_than_the_mark_is_reported_at_both(
    figures: tuple[float, int, float, int], verdict: Verdict, differs: bool
) -> None:
    reported = page(judged("1703", verdict), before=(SUPPORTED, figures, SUPPORTED))
    expected = [("after", 2, GateConflict(verdict=verdict, steps=(1,)))] if differs else []
    assert differing(reported) == expected
    assert list(reported.trace[0].differing) == list(reported.differing)


def test_one_disagreement_counts_for_the_sentence_and_only_its_own_turns_are_named() -> None:
    steps = (judged("It", AGREES), judged("1703", DISAGREES), judged("built", AGREES))
    contradicted = page(*steps, before=(SUPPORTED, AGAINST_SECOND, SUPPORTED))
    assert differing(contradicted) == []
    supported = page(*steps, before=(SUPPORTED, SUPPORTED, SUPPORTED))
    assert differing(supported) == [("after", 2, GateConflict(verdict=DISAGREES, steps=(2,)))]


def test_evidence_that_the_gate_finds_irrelevant_is_shown_as_no_contradiction() -> None:
    step = judged("1703", IRRELEVANT, evidence=RIVER)
    reported = page(step, before=(SUPPORTED, AGAINST_SECOND, SUPPORTED_AGAINST_SECOND))
    second = sentence(reported, 2)
    assert (second.mark, second.contradicted_by) == (Mark.NOT_ATTRIBUTED, None)
    assert (second.unrelated, second.contradiction) == (2, 0.8)
    assert second.gate == GateConflict(verdict=IRRELEVANT, steps=(1,))
    assert reported.cards[1].contradicts == ()
    assert [each.number for each in reported.trace[0].differing] == [2]


def test_evidence_that_was_compared_with_other_sentences_only_contradicts_none() -> None:
    step = judged("Ardle", AGREES, evidence=RIVER)
    reported = page(step, before=(AGAINST_SECOND, AGAINST_SECOND, SUPPORTED_AGAINST_SECOND))
    assert [sentence(reported, number).contradicted_by for number in (1, 2, 3)] == [2, None, None]
    third = sentence(reported, 3)
    assert (third.mark, third.unrelated) == (Mark.ATTRIBUTED, 2)
    assert third.gate == GateConflict(verdict=IRRELEVANT, steps=())
    # The gate says nothing of the second and third sentence.
    assert (reported.disputed, [each.number for each in reported.differing]) == ((), [1])


def test_evidence_whose_answer_an_edit_put_in_may_still_contradict_the_sentence() -> None:
    edited = judged("1703", DISAGREES, evidence=RIVER, after=TEXT.replace("1703", "1710"))
    reported = page(edited, before=(AGAINST_SECOND, AGAINST_SECOND, SUPPORTED))
    assert [sentence(reported, number).contradicted_by for number in (1, 2)] == [None, 2]


@pytest.mark.parametrize(
    "steps",
    [
        [judged("Ardle", AGREES)],  # compared with other evidence
        [judged("It", IRRELEVANT, evidence=RIVER), judged("1703", AGREES, evidence=RIVER)],
        [judged("It", IRRELEVANT, evidence=RIVER), judged("1703", DISAGREES, evidence=RIVER)],
    ],
)
def test_evidence_contradicts_unless_it_is_irrelevant_to_every_question(
    steps: list[TraceStep],
) -> None:
    second = sentence(page(*steps, before=(SUPPORTED, AGAINST_SECOND, SUPPORTED)), 2)
    assert (second.mark, second.contradicted_by) == (Mark.CONTRADICTED, 2)


def test_a_verdict_is_shown_for_the_words_it_was_given_for() -> None:
    long = TEXT.replace("1703", "the spring of the year in which the new road was opened")
    edit = judged("1703", DISAGREES, after=long)
    reported = page(
        judged("oak", DISAGREES),
        edit,
        judged("Ardle", DISAGREES, before=long),
        before=(SUPPORTED, SUPPORTED, SUPPORTED),
    )
    # The edit made the second sentence other words: its verdict is not about them.
    assert differing(reported) == [
        ("after", 1, GateConflict(verdict=DISAGREES, steps=(3,))),
        ("before", 2, GateConflict(verdict=DISAGREES, steps=(2,))),
        ("after", 3, GateConflict(verdict=DISAGREES, steps=(1,))),
    ]


def test_a_verdict_on_a_whole_text_is_of_its_only_sentence_or_of_none() -> None:
    one = page(judged("", DISAGREES, before=YEAR), before=(SUPPORTED,))
    assert differing(one) == [("after", 1, GateConflict(verdict=DISAGREES, steps=(1,)))]
    assert differing(page(judged("", DISAGREES), before=(SUPPORTED,) * 3)) == []


def test_a_verdict_without_a_place_is_of_the_words_that_its_query_asks_about() -> None:
    step = judged("", DISAGREES)
    asking = replace(step, query=Query(text="When?", about=span_of(TEXT, "1703")))
    assert [each.number for each in page(asking, before=(SUPPORTED,) * 3).differing] == [2]


def test_where_no_agreement_model_is_asked_nothing_differs() -> None:
    step = judged("1703", DISAGREES)
    reported = page(step, before=(SUPPORTED,) * 3, has_gate=False)
    assert not reported.differing
    assert not reported.has_verdicts
    assert page(step, before=(SUPPORTED,) * 3).has_verdicts
