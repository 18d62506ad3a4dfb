"""From raters' answers to labels: 1, 0, or None for a tie (rules: docs/export.md).

Manifests name `LABEL_RULES_VERSION`: raise it with every change of a rule.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotation.questionnaires.types import Criterion

LABEL_RULES_VERSION = 5

Label = int | None

SETTLED = "settled"
MAJORITY = "majority"
ADJUDICATED = "adjudicated"
ALL = "all"
RESOLUTIONS: dict[str, str] = {
    SETTLED: "the adjudicated answer, or else the majority of the raters",
    MAJORITY: "the majority of the raters, without adjudication",
    ADJUDICATED: "only unanimous and adjudicated answers",
    ALL: "as settled, with each rater’s own label added",
}
"""How the answers of several raters become one label. A tie is null in each of them."""


Target = tuple[str, int]
"""A criterion's name and the index of the judged sentence, citation or evidence."""


class TargetAnswers(NamedTuple):
    """The answers that count about one target."""

    levels: Sequence[int]
    """One of each rater who has a vote."""
    highest: int = 1
    """The criterion's highest level: a full yes. Each other level is a no."""
    adjudicated: int | None = None
    """The adjudicated level; it replaces the raters'."""
    needs_unanimity: bool = False
    """Where raters differ, only an adjudicated answer counts."""
    unasked: int = 0
    """How many of `levels` are the lowest because of an answer to another criterion."""

    @property
    def votes(self) -> list[bool]:
        return [level == self.highest for level in self.levels]

    @property
    def yes(self) -> int:
        return sum(self.votes)

    @property
    def n(self) -> int:
        return len(self.levels)

    @property
    def is_judged(self) -> bool:
        return bool(self.levels) or self.adjudicated is not None

    @property
    def in_effect(self) -> Sequence[int]:
        """A level of each rater, with the adjudicated one in place of theirs."""
        return self.levels if self.adjudicated is None else [self.adjudicated] * (self.n or 1)

    @property
    def share(self) -> float:
        """The share of raters with a full yes, or the adjudicated answer; 0.0 to 1.0.

        >>> TargetAnswers([1, 2, 0, 1]).share, TargetAnswers([1, 1], adjudicated=2).share
        (0.5, 0.0)
        """
        return sum(level == self.highest for level in self.in_effect) / len(self.in_effect)

    @property
    def label(self) -> Label:
        """1 for a full yes, 0 for anything else, None for a tie and without an answer.

        >>> TargetAnswers([1, 1, 2]).label, TargetAnswers([1, 2]).label, TargetAnswers([]).label
        (1, None, None)
        >>> TargetAnswers([1, 1], adjudicated=0).label
        0
        >>> TargetAnswers([1, 1, 0], needs_unanimity=True).label
        """
        return _decide([level == self.highest for level in self.in_effect], self.needs_unanimity)

    @property
    def level(self) -> int | None:
        """The adjudicated level, or that of most raters; None as in `label`.

        >>> TargetAnswers([2, 2, 0]).level, TargetAnswers([2, 0]).level
        (2, None)
        """
        return _decide(self.in_effect, self.needs_unanimity)

    def joined_with(self, other: "TargetAnswers") -> "TargetAnswers":
        """Add the answers of another campaign about the same target."""
        return self._replace(
            levels=[*self.levels, *other.levels],
            adjudicated=other.adjudicated if self.adjudicated is None else self.adjudicated,
            unasked=self.unasked + other.unasked,
        )


def count_answers(
    criterion: Criterion,
    target: int,
    raters: Sequence[Mapping[Target, int]],
    adjudicated: Mapping[Target, int],
    *,
    citations: Sequence[Mapping[str, int]] = (),
    resolution: str = SETTLED,
) -> TargetAnswers:
    """Return the answers that count about a target of an item.

    An adjudicated answer replaces the raters', unless the `resolution` is `MAJORITY`.

    >>> from annotation.questionnaires import load_questionnaire
    >>> of_two_stages = load_questionnaire("attribution").with_options(["two_stages"])
    >>> full = of_two_stages.criterion("attributable")
    >>> raters = [{("attributable", 0): 1}, {("attributable", 0): 1}, {("attributable", 0): 0}]
    >>> count_answers(full, 0, raters, {}).label
    1
    >>> count_answers(full, 0, raters, {("attributable", 0): 0}).label
    0

    A rater whose answer to another criterion skips this one counts with the lowest level, but has
    no vote if that answer was adjudicated otherwise. Adjudicated to skip, it is the lowest level.

    >>> raters = [{("attributable", 0): 1}, {("interpretable", 0): 0}]
    >>> count_answers(full, 0, raters, {}).levels
    [1, 0]
    >>> count_answers(full, 0, raters, {("interpretable", 0): 1}).levels
    [1]
    >>> count_answers(full, 0, raters, {("interpretable", 0): 0}).label
    0

    A sentence without `citations` has the lowest level where only cited ones are judged.

    >>> quality = load_questionnaire("answer_quality").criterion("attributable")
    >>> count_answers(quality, 1, [{}, {}], {}, citations=[{"sentence": 0}]).levels
    [0, 0]
    """
    if resolution == MAJORITY:
        adjudicated = {}
    key, lowest = (criterion.name, target), criterion.levels[0].value
    decided, unasked = adjudicated.get(key), 0
    if criterion.unless is None:
        levels = [answers[key] for answers in raters if key in answers]
        is_cited = any(citation["sentence"] == target for citation in citations)
        if not levels and criterion.is_cited_only and not is_cited:
            levels = [lowest] * len(raters)
    else:
        name, nothing_to_ask = criterion.unless
        other = name, target
        levels = [
            answers[key]
            for answers in raters
            if key in answers and answers.get(other) != nothing_to_ask
        ]
        if adjudicated.get(other, nothing_to_ask) == nothing_to_ask:
            unasked = sum(answers.get(other) == nothing_to_ask for answers in raters)
            levels += [lowest] * unasked
        if decided is None and adjudicated.get(other) == nothing_to_ask:
            decided = lowest
    highest = criterion.levels[-1].value
    return TargetAnswers(levels, highest, decided, resolution == ADJUDICATED, unasked)


def _decide(answers: Sequence[int], needs_unanimity: bool) -> int | None:
    if needs_unanimity and len(set(answers)) > 1:
        return None
    return majority(answers)


def majority(answers: Iterable[int]) -> int | None:
    """The most frequent answer; None for a tie and without an answer.

    >>> majority([True, True, False]), majority([2, 0]), majority([])
    (1, None, None)
    """
    given = list(answers)
    if given and given.count(given[0]) == len(given):  # the usual case, and much faster
        return int(given[0])
    ranked = Counter(given).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return int(ranked[0][0])


def any_label(sentences: Sequence[Label]) -> Label:
    """An answer's `informative`: 1 if any sentence is 1, 0 if every sentence is 0 (HAGRID 3.4).

    None while none is 1 and one is open, and for an answer without sentences.

    >>> any_label([0, 1, None]), any_label([0, 0]), any_label([0, None]), any_label([])
    (1, 0, None, None)
    """
    if any(label == 1 for label in sentences):
        return 1
    return 0 if sentences and all(label == 0 for label in sentences) else None


def answer_label(sentences: Sequence[Label]) -> Label:
    """An answer's `attributable`: 1 if every sentence is 1, 0 if any is 0 (HAGRID 3.4).

    None while a sentence is open and none is 0, and for an answer without sentences.

    >>> answer_label([1, 1]), answer_label([1, None]), answer_label([None, 0]), answer_label([])
    (1, None, 0, None)
    """
    if any(label == 0 for label in sentences):
        return 0
    return 1 if sentences and all(label == 1 for label in sentences) else None


OF_ANSWER = {"informative": any_label, "attributable": answer_label}
"""From the labels of an answer's sentences to the answer's."""
