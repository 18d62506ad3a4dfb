"""From raters' answers to labels: 1, 0, or None for a tie (rules: docs/formats.md).

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
    ADJUDICATED: "only answers that are unanimous or adjudicated",
    ALL: "as settled, with each rater’s own label added",
}
"""How the answers of several raters become one label. A tie is null in each of them."""


AnswerKey = tuple[str, int]
"""A criterion's name and the index of its sentence, citation or evidence; 0 for the whole item."""


class TargetAnswers(NamedTuple):
    """The valid answers to one criterion about one target."""

    levels: Sequence[int]
    """The level of each rater who has a vote."""
    full_yes: int = 1
    """The value of `Criterion.levels[-1]`, which need not be the greatest; others are a no."""
    adjudicated: int | None = None
    """The adjudicated level; it replaces the raters'."""
    needs_unanimity: bool = False
    """Where raters differ, only an adjudicated answer counts."""
    implied: int = 0
    """How many of `levels` follow from an answer to another criterion (`Criterion.unless`)."""

    @property
    def votes(self) -> list[bool]:
        return self._are_full_yes(self.levels)

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
    def final_levels(self) -> Sequence[int]:
        """`levels`; if adjudicated, that level once for each rater, and at least once."""
        return self.levels if self.adjudicated is None else [self.adjudicated] * (self.n or 1)

    @property
    def share(self) -> float:
        """The share of raters with a full yes, or the adjudicated answer; 0.0 to 1.0.

        >>> TargetAnswers([1, 2, 0, 1]).share, TargetAnswers([1, 1], adjudicated=2).share
        (0.5, 0.0)
        """
        return sum(self._are_full_yes(self.final_levels)) / len(self.final_levels)

    @property
    def label(self) -> Label:
        """1 for a full yes, 0 for anything else, None for a tie and without an answer.

        >>> TargetAnswers([1, 1, 2]).label, TargetAnswers([1, 2]).label, TargetAnswers([]).label
        (1, None, None)
        >>> TargetAnswers([1, 1], adjudicated=0).label
        0
        >>> TargetAnswers([1, 1, 0], needs_unanimity=True).label
        """
        return self._decide(self._are_full_yes(self.final_levels))

    @property
    def level(self) -> int | None:
        """The adjudicated or the most frequent level; None as for `label`.

        >>> TargetAnswers([2, 2, 0]).level, TargetAnswers([2, 0]).level
        (2, None)
        """
        return self._decide(self.final_levels)

    def _are_full_yes(self, levels: Sequence[int]) -> list[bool]:
        return [level == self.full_yes for level in levels]

    def _decide(self, answers: Sequence[int]) -> int | None:
        is_undecided = self.needs_unanimity and len(set(answers)) > 1
        return None if is_undecided else most_frequent(answers)

    def joined_with(self, other: "TargetAnswers") -> "TargetAnswers":
        """Add the answers of another campaign about the same target."""
        return self._replace(
            levels=[*self.levels, *other.levels],
            adjudicated=other.adjudicated if self.adjudicated is None else self.adjudicated,
            implied=self.implied + other.implied,
        )


def target_answers(
    criterion: Criterion,
    target: int,
    by_rater: Sequence[Mapping[AnswerKey, int]],
    adjudicated: Mapping[AnswerKey, int],
    *,
    citations: Sequence[Mapping[str, int]] = (),
    resolution: str = SETTLED,
) -> TargetAnswers:
    """Return the valid answers to a criterion about the target with this index.

    An adjudicated answer replaces the raters', unless the `resolution` is `MAJORITY`.

    >>> from annotation.questionnaires import load_questionnaire
    >>> two_stages = load_questionnaire("attribution").with_options(["two_stages"])
    >>> attributable = two_stages.criterion("attributable")
    >>> given = [{("attributable", 0): 1}, {("attributable", 0): 1}, {("attributable", 0): 0}]
    >>> target_answers(attributable, 0, given, {}).label
    1
    >>> target_answers(attributable, 0, given, {("attributable", 0): 0}).label
    0

    `Criterion.unless` is an answer to another criterion that implies this one's first level, as
    "not interpretable" does. Raters who gave it vote for that level. If an adjudicator gave it, it
    decides; if an adjudicator gave another answer, those raters have no vote.

    >>> given = [{("attributable", 0): 1}, {("interpretable", 0): 0}]
    >>> target_answers(attributable, 0, given, {}).levels
    [1, 0]
    >>> target_answers(attributable, 0, given, {("interpretable", 0): 1}).levels
    [1]
    >>> target_answers(attributable, 0, given, {("interpretable", 0): 0}).label
    0

    If only cited sentences are judged, each rater's answer about others is the first level.

    >>> quality = load_questionnaire("answer_quality").criterion("attributable")
    >>> target_answers(quality, 1, [{}, {}], {}, citations=[{"sentence": 0}]).levels
    [0, 0]
    """
    if resolution == MAJORITY:
        adjudicated = {}
    key, first_level = (criterion.name, target), criterion.levels[0].value
    decided = adjudicated.get(key)
    voters, implied = by_rater, 0
    if criterion.unless is not None:
        other_name, implying_level = criterion.unless
        other_key = other_name, target
        voters = [answers for answers in by_rater if answers.get(other_key) != implying_level]
        if adjudicated.get(other_key) in {None, implying_level}:
            implied = len(by_rater) - len(voters)
        if decided is None and adjudicated.get(other_key) == implying_level:
            decided = first_level
    levels = [answers[key] for answers in voters if key in answers] + [first_level] * implied
    is_cited = any(citation["sentence"] == target for citation in citations)
    if criterion.is_cited_only and not is_cited and not levels:
        levels = [first_level] * len(by_rater)
    full_yes = criterion.levels[-1].value
    return TargetAnswers(levels, full_yes, decided, resolution == ADJUDICATED, implied)


def most_frequent(answers: Iterable[int]) -> int | None:
    """The answer given more often than any other; None for a tie and without an answer.

    >>> most_frequent([True, True, False]), most_frequent([2, 0]), most_frequent([])
    (1, None, None)
    """
    given = list(answers)
    if not given:
        return None
    if given.count(given[0]) == len(given):  # the usual case, and much faster
        return int(given[0])
    (answer, count), (_, next_count) = Counter(given).most_common(2)
    return None if count == next_count else int(answer)


def informative_label(sentences: Sequence[Label]) -> Label:
    """The judged answer's `informative`: 1 if any sentence is, 0 if all are 0 (HAGRID 3.4).

    Else None, as for an answer without sentences.

    >>> informative_label([0, 1, None]), informative_label([0, 0])
    (1, 0)
    >>> informative_label([0, None]), informative_label([])
    (None, None)
    """
    if any(label == 1 for label in sentences):
        return 1
    return 0 if sentences and all(label == 0 for label in sentences) else None


def attributable_label(sentences: Sequence[Label]) -> Label:
    """The judged answer's `attributable`: 1 if every sentence is, 0 if any is 0 (HAGRID 3.4).

    Else None, as for an answer without sentences.

    >>> attributable_label([1, 1]), attributable_label([1, None]), attributable_label([None, 0])
    (1, None, 0)
    """
    if any(label == 0 for label in sentences):
        return 0
    return 1 if sentences and all(label == 1 for label in sentences) else None


ANSWER_RULES = {"informative": informative_label, "attributable": attributable_label}
"""By criterion: the function that computes an answer's label from those of its sentences."""
