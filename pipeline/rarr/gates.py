"""Revision stage: verdicts asked ahead (section 3.2's order, fewer round trips).

RARR asks about one (q, e) after another, since each may meet a y that an edit has changed. Most
meet the same y: so a few are asked at once, and a verdict is used only while the y that it was
given for is still the current one. After an edit was kept, those behind it are asked again. What
is used is therefore always the answer to the question that the sequential loop would have put;
only answers that were never used differ.
"""

from collections.abc import Sequence

from pipeline.rarr.agreement import judge
from pipeline.rarr.ports import AgreementModel, ManyAgreements
from pipeline.rarr.types import (
    Agreement,
    Evidence,
    Passage,
    Query,
    StepError,
    UnreadableReply,
)


class Gates:
    """The verdicts over the (query, evidence) pairs of one passage, in their order."""

    def __init__(
        self,
        model: AgreementModel,
        *,
        passage: Passage,
        asked: Sequence[tuple[Query, Evidence]],
        at_once: int,
    ) -> None:
        """`at_once`: how many pairs one question to the model may hold; 1 or more."""
        self.reasked = 0
        """Verdicts that were asked ahead, were outdated by an edit, and were asked again."""
        self._model = model
        self._passage = passage
        self._asked = asked
        self._at_once = at_once
        self._ahead: dict[int, Agreement | StepError] = {}
        self._against = passage.text

    def verdict(self, place: int, current: str) -> Agreement | StepError:
        """What the model says of pair number `place` (from 0) about `current`.

        An unreadable reply is returned by name. Raises what the model raises otherwise, maybe
        for a pair behind this one: the passage is then tried again as a whole.
        """
        if not isinstance(self._model, ManyAgreements) or self._at_once == 1:
            query, evidence = self._asked[place]
            return judge(
                model=self._model,
                passage=self._passage,
                current=current,
                query=query,
                evidence=evidence,
            )
        if current != self._against:
            # All of them will be asked again, each when its turn comes or ahead of it.
            self.reasked += sum(known >= place for known in self._ahead)
            self._ahead, self._against = {}, current
        if place not in self._ahead:
            self._ask(self._model, place, current)
        return self._ahead[place]

    def _ask(self, model: ManyAgreements, place: int, current: str) -> None:
        asked = self._asked[place : place + self._at_once]
        answers = model.judge_all(passage=self._passage, current=current, asked=asked)
        if len(answers) != len(asked):
            reply = UnreadableReply(f"The agreement model gave {len(answers)} of {len(asked)}.")
            answers = [reply] * len(asked)
        for number, answer in enumerate(answers, start=place):
            self._ahead[number] = (
                StepError.of(answer) if isinstance(answer, UnreadableReply) else answer
            )
