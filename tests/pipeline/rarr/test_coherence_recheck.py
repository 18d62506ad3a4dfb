"""Sentences that an edit left behind, asked about again beside the edited passage."""

from collections.abc import Sequence

import pytest

from pipeline.rarr.coherence import find_incoherences
from pipeline.rarr.coherence_recheck import AgreementRechecker, EntailmentRechecker, recheck_doubts
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.loop import finish_revision
from pipeline.rarr.plain import from_plain, to_plain
from pipeline.rarr.ports import Entailed, Rechecker
from pipeline.rarr.research import Research
from pipeline.rarr.types import (
    Agreement,
    EditOutcome,
    Evidence,
    Incoherence,
    Passage,
    Query,
    Revision,
    TraceStep,
    Verdict,
)
from tests.support.rarr_fakes import Splitter, evidence, steps

BEFORE = "The school was established in 1859. It has taught children for over 160 years."
AFTER = BEFORE.replace("1859", "1905")
FOUNDED = evidence("The school was founded in 1905.")
CAUSE = TraceStep(
    query=Query(text="When was the school established?"),
    evidence=FOUNDED,
    edit_outcome=EditOutcome.KEPT,
    text_before=BEFORE,
    text_after=AFTER,
)
PASSAGE = Passage(id="1", text=BEFORE, context="Tell me about the school.")


class Judge:
    """An agreement model that remembers what it was asked."""

    def __init__(self, error: UnreadableReply | None = None) -> None:
        self.asked: list[tuple[Passage, str, Query, Evidence]] = []
        self.error = error

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        self.asked.append((passage, current, query, evidence))
        if self.error:
            raise self.error
        return Agreement(verdict=Verdict.DISAGREES, reason="From 1905 it is fewer years.")


class Nli:
    def __init__(self, entailed: float, contradicted: float | None) -> None:
        self.answer = Entailed(entailed=entailed, contradicted=contradicted)
        self.pairs: list[tuple[str, str]] = []

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Entailed]:
        self.pairs += pairs
        return [self.answer] * len(pairs)


def asked_again(by: Rechecker | None) -> Incoherence:
    doubts = find_incoherences(AFTER, [CAUSE], splitter=Splitter())
    (doubt,) = recheck_doubts(doubts, passage=PASSAGE, text=AFTER, trace=[CAUSE], by=by)
    return doubt


def test_without_a_model_nobody_is_asked() -> None:
    assert asked_again(None).recheck is None


def test_the_gate_sees_the_sentence_with_the_edited_passage_before_it() -> None:
    judge = Judge()
    doubt = asked_again(AgreementRechecker(judge))
    assert doubt.recheck is not None
    assert doubt.recheck.verdict is Verdict.DISAGREES
    ((passage, current, query, found),) = judge.asked
    assert passage.text == current == "It has taught children for over 160 years."
    assert passage.context == "Tell me about the school.\nThe school was established in 1905."
    assert (query.text, found) == ("When was the school established?", FOUNDED)


def test_a_reply_that_cannot_be_read_is_named() -> None:
    doubt = asked_again(AgreementRechecker(Judge(UnreadableReply("No verdict.", reply="Well."))))
    assert doubt.recheck is None
    assert doubt.recheck_error is not None
    assert (doubt.recheck_error.kind, doubt.recheck_error.reply) == ("UnreadableReply", "Well.")


@pytest.mark.parametrize(
    ("entailed", "contradicted", "verdict"),
    [
        (0.1, 0.8, Verdict.DISAGREES),
        (0.9, 0.1, Verdict.AGREES),
        (0.3, 0.4, Verdict.IRRELEVANT),
        (0.7, None, Verdict.AGREES),
        (0.2, None, Verdict.IRRELEVANT),
    ],
)
def test_entailment_reads_it_beside_the_rest_of_the_edited_passage(
    entailed: float, contradicted: float | None, verdict: Verdict
) -> None:
    nli = Nli(entailed, contradicted)
    doubt = asked_again(EntailmentRechecker(nli))
    assert doubt.recheck is not None
    assert doubt.recheck.verdict is verdict
    assert nli.pairs == [
        ("The school was established in 1905.", "It has taught children for over 160 years.")
    ]


def test_the_verdict_stands_in_the_revision_and_is_kept() -> None:
    revision = finish_revision(
        PASSAGE,
        Research(),
        (CAUSE,),
        steps=steps(splitter=Splitter(), rechecker=AgreementRechecker(Judge())),
        config=RarrConfig(),
    )
    assert revision.text == AFTER, "nothing is changed by it"
    assert [each.recheck and each.recheck.verdict for each in revision.coherence] == ["disagrees"]
    assert from_plain(Revision, to_plain(revision)) == revision
