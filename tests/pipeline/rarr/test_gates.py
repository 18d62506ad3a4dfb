"""Verdicts asked ahead: the same trace as one after another, for the calls that are told."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import TransientError, UnreadableReply
from pipeline.rarr.loop import revise
from pipeline.rarr.ports import ManyAgreements
from pipeline.rarr.types import (
    Agreement,
    EditOutcome,
    Evidence,
    Passage,
    ProposedEdit,
    Query,
    Revision,
    Verdict,
)
from tests.support.rarr_fakes import Questions, Shelf, document, passage, steps

TEXT = "abcdefghij" * 8


class Dice:
    """Answers that depend on all that is asked and nothing else, as if by chance."""

    def __init__(self, seed: int, *, disagrees: float, fails: float) -> None:
        self.seed, self.disagrees, self.fails = seed, disagrees, fails
        self.asked = 0
        self.edits = 0

    def judge(
        self, *, passage: Passage, current: str, query: Query, evidence: Evidence
    ) -> Agreement:
        self.asked += 1
        chance = random.Random(f"{self.seed}|{current}|{query.text}|{evidence.text}")
        if chance.random() < self.fails:
            raise UnreadableReply(f"Nothing said about {query.text}.", reply=current)
        is_open = chance.random() < self.disagrees
        return Agreement(
            verdict=Verdict.DISAGREES if is_open else Verdict.AGREES, reason=f"{chance.random()}"
        )

    def edit(
        self,
        *,
        passage: Passage,
        current: str,
        query: Query,
        evidence: Evidence,
        agreement: Agreement,
    ) -> ProposedEdit:
        """Nothing, one letter, or more letters than an edit may change; or no reply at all."""
        self.edits += 1
        chance = random.Random(f"{self.seed}|edit|{current}|{query.text}|{agreement.reason}")
        if chance.random() < self.fails:
            raise UnreadableReply("No fix.")
        size, at = chance.choice([0, 1, 1, 5]), chance.randrange(len(current) - 5)
        return ProposedEdit(text=current[:at] + "X" * size + current[at + size :], reason="")


class DiceAhead(Dice):
    def judge_all(
        self, *, passage: Passage, current: str, asked: Sequence[tuple[Query, Evidence]]
    ) -> Sequence[Agreement | UnreadableReply]:
        answers: list[Agreement | UnreadableReply] = []
        for query, evidence in asked:
            try:
                answers.append(
                    self.judge(passage=passage, current=current, query=query, evidence=evidence)
                )
            except UnreadableReply as error:
                answers.append(error)
        return answers


def run(model: Dice, *, found: Sequence[int], at_once: int = 16) -> Revision:
    """Revise with as many snippets for each query as `found` says."""
    shelf = {
        f"query {number}": [
            document(f"Snippet {number} {rank}.", id=f"{number}-{rank}") for rank in range(count)
        ]
        for number, count in enumerate(found)
    }
    return revise(
        passage(TEXT),
        steps=steps(
            query_generator=Questions(list(shelf)),
            retriever=Shelf(shelf),
            agreement=model,
            editor=model,
            gates_at_once=at_once,
        ),
        config=RarrConfig(max_edit_characters=3, evidence_per_query=3),
    )


def by_hand(model: Dice, research: Revision) -> list[tuple[str, str, str]]:
    """Section 3.2 as it is written: (query, what became of the edit, y) of each turn."""
    told, current = [], TEXT
    for query, snippets in zip(research.queries, research.evidence, strict=True):
        if not snippets:
            told.append((query.text, "none", current))
        for evidence in snippets:
            outcome = "none"
            try:
                agreement = model.judge(
                    passage=research.passage, current=current, query=query, evidence=evidence
                )
                if agreement.is_open:
                    new = model.edit(
                        passage=research.passage,
                        current=current,
                        query=query,
                        evidence=evidence,
                        agreement=agreement,
                    ).text
                    changed = sum(a != b for a, b in zip(current, new, strict=True))
                    outcome = "kept" if 0 < changed <= 3 else "not kept"
                    current = new if outcome == "kept" else current
            except UnreadableReply:
                outcome = "error"
            told.append((query.text, outcome, current))
    return told


WORLDS = given(
    seed=st.integers(0, 10**6),
    disagrees=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    fails=st.sampled_from([0.0, 0.2]),
    found=st.lists(st.integers(0, 3), max_size=8),
    at_once=st.integers(1, 24),
)


@settings(deadline=None)
@WORLDS
def test_the_trace_is_the_sequential_one(
    seed: int, disagrees: float, fails: float, found: list[int], at_once: int
) -> None:
    ahead = run(DiceAhead(seed, disagrees=disagrees, fails=fails), found=found, at_once=at_once)
    alone = run(Dice(seed, disagrees=disagrees, fails=fails), found=found)
    assert ahead.trace == alone.trace
    assert (ahead.text, ahead.report, ahead.errors) == (alone.text, alone.report, alone.errors)

    names = {EditOutcome.NONE: "none", EditOutcome.KEPT: "kept", EditOutcome.ERROR: "error"}
    assert [
        (step.query.text, names.get(step.edit_outcome, "not kept"), step.text_after)
        for step in ahead.trace
    ] == by_hand(Dice(seed, disagrees=disagrees, fails=fails), alone)


@settings(deadline=None)
@WORLDS
def test_no_more_is_asked_than_one_after_another_and_what_an_edit_outdated(
    seed: int, disagrees: float, fails: float, found: list[int], at_once: int
) -> None:
    ahead = DiceAhead(seed, disagrees=disagrees, fails=fails)
    alone = Dice(seed, disagrees=disagrees, fails=fails)
    revision = run(ahead, found=found, at_once=at_once)
    run(alone, found=found)
    reasked = ahead.asked - alone.asked
    assert ahead.edits == alone.edits
    if not any(step.edit_outcome is EditOutcome.KEPT for step in revision.trace) or at_once == 1:
        assert reasked == 0
    # An edit outdates no more verdicts than there were turns since the last one.
    assert 0 <= reasked <= len([step for step in revision.trace if step.evidence])


class Counting(DiceAhead):
    """Remembers how many pairs each question held."""

    def __init__(self, sizes: list[int]) -> None:
        super().__init__(0, disagrees=0.0, fails=0.0)
        self.sizes = sizes

    def judge_all(
        self, *, passage: Passage, current: str, asked: Sequence[tuple[Query, Evidence]]
    ) -> Sequence[Agreement | UnreadableReply]:
        self.sizes.append(len(asked))
        return super().judge_all(passage=passage, current=current, asked=asked)


@pytest.mark.parametrize(("at_once", "sizes"), [(16, [2, 4, 1]), (3, [2, 3, 2]), (1, [])])
def test_more_are_asked_at_once_while_nothing_is_edited_up_to_the_limit(
    at_once: int, sizes: list[int]
) -> None:
    model = Counting([])
    assert isinstance(model, ManyAgreements)
    run(model, found=[3, 1, 3], at_once=at_once)
    assert model.sizes == sizes
    assert model.asked == 7


def test_an_edit_outdates_what_was_asked_behind_it() -> None:
    class First(DiceAhead):
        """Only the first pair disagrees, and only with the text as it was."""

        def judge(
            self, *, passage: Passage, current: str, query: Query, evidence: Evidence
        ) -> Agreement:
            self.asked += 1
            wrong = "0" in query.text and current == TEXT
            return Agreement(verdict=Verdict.DISAGREES if wrong else Verdict.AGREES, reason=current)

        def edit(self, **given: object) -> ProposedEdit:
            return ProposedEdit(text="X" + TEXT[1:], reason="")

    model = First(0, disagrees=0, fails=0)
    found = run(model, found=[1, 1, 1])
    assert model.asked == 4
    reasons = [step.agreement.reason for step in found.trace if step.agreement]
    assert reasons == [TEXT, found.text, found.text]


def test_too_few_answers_are_named_in_every_turn() -> None:
    class Short(DiceAhead):
        def judge_all(self, **given: object) -> Sequence[Agreement | UnreadableReply]:
            return []

    found = run(Short(0, disagrees=1, fails=0), found=[1, 1])
    assert [step.error.kind for step in found.trace if step.error] == ["UnreadableReply"] * 2


def test_a_time_out_ahead_fails_the_try() -> None:
    class Down(DiceAhead):
        def judge_all(self, **given: object) -> Sequence[Agreement | UnreadableReply]:
            raise TransientError("time-out")

    with pytest.raises(TransientError, match="time-out"):
        run(Down(0, disagrees=1, fails=0), found=[1])
