"""What raters answered about each item, and what was settled: read for figures."""

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from annotation.models import Adjudication, Campaign, Item, Judgment
from annotation.questionnaires.types import Criterion
from annotation.results.estimates import Drawn
from annotation.results.labels import Target, TargetAnswers, count_answers
from pipeline.data.staging import batches

ITEMS_AT_ONCE = 500

Answers = dict[Target, int]
ByRevision = dict[int, dict[int, TargetAnswers]]
"""revision to target to the answers that count"""


class ItemAnswers(NamedTuple):
    """The answers of submitted work that holds a slot, about one item."""

    item: int
    side: str
    revision: int
    raters: list[Answers]
    settled: Answers
    texts: list[dict[Target, str]]
    """What the raters wrote, parallel to `raters`."""

    @property
    def in_effect(self) -> list[Answers]:
        """Each rater's answers, a settled one in place of every answer about the same."""
        if not self.settled:
            return self.raters
        return [{key: self.settled.get(key, own[key]) for key in own} for own in self.raters]


def read_answers(criteria: Collection[str] = (), **items: Any) -> Iterator[ItemAnswers]:
    """The judged ones of the `items` that meet these lookups, in order. At most two queries.

    Only answers to `criteria`, if there are any.
    """
    of_criteria = {"criterion__in": criteria} if criteria else {}
    settled: dict[int, Answers] | None = None
    rows = (
        Judgment.objects.valid()
        .filter(
            **of_criteria,
            **{f"assignment__item__{name}": value for name, value in items.items()},
        )
        .order_by("assignment__item_id", "assignment_id")
        .values_list(
            "assignment__item_id", "assignment__item__side", "assignment__item__revision_id",
            "assignment_id", "criterion", "target", "value", "text",
        )
    )  # fmt: skip
    for (item, side, revision), of_item in groupby(rows.iterator(), key=itemgetter(0, 1, 2)):
        if settled is None:  # where nobody has judged, nobody needs these
            settled = _settled_answers(
                **of_criteria, **{f"item__{name}": each for name, each in items.items()}
            )
        raters: list[Answers] = []
        texts: list[dict[Target, str]] = []
        for _, of_one in groupby(of_item, key=itemgetter(3)):
            raters.append({})
            texts.append({})
            for *_, criterion, target, value, text in of_one:
                raters[-1][criterion, target] = value or 0  # valid leaves no None
                if text:
                    texts[-1][criterion, target] = text
        yield ItemAnswers(item, side, revision, raters, settled.get(item, {}), texts)


def _settled_answers(**lookups: Any) -> dict[int, Answers]:
    """Those of adjudicators, by item."""
    settled: dict[int, Answers] = {}
    rows = Adjudication.objects.filter(**lookups)
    for item, criterion, target, level in rows.values_list(
        "item_id", "criterion", "target", "value"
    ):
        settled.setdefault(item, {})[criterion, target] = level
    return settled


def answers_by_revision(criterion: Criterion, **items: Any) -> dict[str, ByRevision]:
    """Side to the answers that count about each target of each revision's judged items.

    Several campaigns may judge a revision: their raters' answers are taken together.
    """
    unless = [criterion.unless[0]] if criterion.unless else []
    found: dict[str, ByRevision] = {}
    for each in read_answers([criterion.name, *unless], **items):
        of_revision = found.setdefault(each.side, {}).setdefault(each.revision, {})
        for target in sorted({target for own in each.raters for _, target in own}):
            answers = count_answers(criterion, target, each.raters, each.settled)
            if answers.levels:
                known = of_revision.get(target)
                of_revision[target] = known.joined_with(answers) if known else answers
    return found


def read_judged(
    campaign: Campaign, phase: str, *fields: str
) -> Iterator[tuple[dict[str, Any], ItemAnswers]]:
    """Each item with work that counts, and its answers.

    `drawn` says how the item's passage was drawn.
    """
    columns = ("pk", "inclusion", "revision__run_id", "passage_id", *fields)
    # No second stream beside the judgments: one that is left before its end keeps a cursor open,
    # and PostgreSQL's client waits for itself when the collector closes that in another query.
    for some in batches(read_answers(**in_phase(campaign, phase)), ITEMS_AT_ONCE):
        items = Item.objects.filter(pk__in=[each.item for each in some]).values(*columns)
        by_key = {item["pk"]: item for item in items}
        for each in some:
            found = by_key[each.item]
            drawn = Drawn(
                run=found["revision__run_id"],
                passage=found["passage_id"],
                weight=1 / found["inclusion"],
            )
            yield {**found, "drawn": drawn}, each


def in_phase(campaign: Campaign, phase: str) -> dict[str, Any]:
    """Lookups for the items of one phase (`Item.Phase`), or of all phases if it is empty."""
    return {"campaign": campaign, "phase": phase} if phase else {"campaign": campaign}
