"""What raters said of each sentence of one revision, level by level, for a reader."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from annotation.models import Adjudication, Item, Judgment
from annotation.questionnaires.attribution import INTERPRETABLE, PARTLY
from pipeline.models import Revision

AFTER = Item.Side.AFTER.value
FULL, PART, NONE, TIE = "full", "part", "none", "tie"
_OF_VALUE = {1: FULL, PARTLY.value: PART, 0: NONE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """How many raters gave each answer about a sentence."""

    full: int
    part: int
    none: int
    """Not attributable, or not to be understood."""
    settled: str = ""
    """What an adjudicator settled on, "full", "part" or "none"; "" where nobody did."""

    @property
    def n(self) -> int:
        return self.full + self.part + self.none

    @property
    def said(self) -> str:
        """ "full" if most say so; "part" if most say so or more; "none"; "tie" where they are even.

        >>> Levels(full=2, part=0, none=1).said, Levels(full=1, part=1, none=0).said
        ('full', 'part')
        >>> Levels(full=1, part=0, none=1).said, Levels(full=0, part=1, none=2).said
        ('tie', 'none')
        """
        if self.settled:
            return self.settled
        if 2 * self.full > self.n:
            return FULL
        at_least = 2 * (self.full + self.part)
        if at_least == self.n:
            return TIE
        return PART if at_least > self.n else NONE


def sentence_levels(revision: Revision) -> Mapping[int, Levels]:
    """By the sentence of y, from 0: what counts, of all attribution campaigns. Two queries."""
    names = ("attributable", INTERPRETABLE.name)
    answers = Judgment.objects.that_count().filter(
        assignment__item__revision=revision,
        assignment__item__side=AFTER,
        assignment__item__campaign__questionnaire="attribution",
        criterion__in=names,
    )
    settled, to_ask = _settled(revision, names)
    by_rater: dict[tuple[int, int], str] = {}
    for item, rater, target, criterion, value in answers.order_by().values_list(
        "assignment__item_id", "assignment_id", "target", "criterion", "value"
    ):
        if criterion == "attributable":
            by_rater.setdefault((rater, target), _OF_VALUE[int(value or 0)])
        elif value == 0 and (item, target) not in to_ask:  # nothing was left to ask
            by_rater[rater, target] = NONE
    counts: dict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys((FULL, PART, NONE), 0))
    for (_, target), level in by_rater.items():
        counts[target][level] += 1
    return {
        target: Levels(**levels, settled=settled.get(target, ""))
        for target, levels in sorted(counts.items())
    }


def _settled(
    revision: Revision, names: tuple[str, ...]
) -> tuple[dict[int, str], set[tuple[int, int]]]:
    """What was settled of each sentence; and the (item, sentence) of which it was settled that
    they can be understood. As `attribution.read_settled` and `read_votes` have it."""
    settled: dict[int, str] = {}
    to_ask: set[tuple[int, int]] = set()
    rows = Adjudication.objects.filter(
        item__revision=revision,
        item__side=AFTER,
        item__campaign__questionnaire="attribution",
        criterion__in=names,
    )
    for item, target, criterion, value in rows.values_list(
        "item_id", "target", "criterion", "value"
    ):
        if criterion == "attributable":
            settled[target] = _OF_VALUE[value]
        elif value == 0:
            settled.setdefault(target, NONE)
        else:
            to_ask.add((item, target))
    return settled, to_ask
