"""Revision stage: verdicts asked ahead (section 3.2's order, fewer round trips).

RARR asks about one (q, e) after another, since each may meet a y that an edit has changed. Most
meet the same y, so several are asked at once, and a verdict is used only while the y that it was
given for is still the current one. Once an edit is kept, those after it are asked again. So each
verdict in use answers the question that the sequential loop would have put.

How many are asked at once follows how edits fall: after n turns without one, the chance that the
next turn edits is about 1 in n + 2 (the rule of succession), so n + 2 are asked: 2, 4, 8, …
"""

from collections.abc import Sequence

from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import AgreementModel, ManyAgreements
from pipeline.rarr.types import Agreement, Evidence, Passage, Query, StepError


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
        """`at_once`: how many pairs one question to the model may hold at most; 1 or more."""
        self._model = model
        self._passage = passage
        self._asked = asked
        self._at_once = at_once
        self._ahead: dict[int, Agreement | StepError] = {}
        self._against, self._since = passage.text, 0

    def verdict(self, place: int, current: str) -> Agreement | StepError:
        """What the model says of pair number `place` (from 0) about `current`.

        An unreadable reply is returned by name, never as a silent "agrees". Raises what the
        model raises otherwise, maybe for a later pair: the whole passage is then tried again.
        """
        if not isinstance(self._model, ManyAgreements) or self._at_once == 1:
            query, evidence = self._asked[place]
            try:
                return self._model.judge(
                    passage=self._passage, current=current, query=query, evidence=evidence
                )
            except UnreadableReply as error:
                return StepError.of(error)
        if current != self._against:
            # All of them will be asked again, each when its turn comes or ahead of it.
            self._ahead, self._against, self._since = {}, current, place
        if place not in self._ahead:
            self._ask(self._model, place, current)
        return self._ahead[place]

    def _ask(self, model: ManyAgreements, place: int, current: str) -> None:
        width = min(self._at_once, place - self._since + 2)
        asked = self._asked[place : place + width]
        answers = model.judge_all(passage=self._passage, current=current, asked=asked)
        if len(answers) != len(asked):
            reply = UnreadableReply(f"The agreement model gave {len(answers)} of {len(asked)}.")
            answers = [reply] * len(asked)
        for number, answer in enumerate(answers, start=place):
            self._ahead[number] = (
                StepError.of(answer) if isinstance(answer, UnreadableReply) else answer
            )
