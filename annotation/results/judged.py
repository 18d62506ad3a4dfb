"""Reads raters' and adjudicators' answers for figures."""

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from annotation.models import Adjudication, Campaign, Item, Judgment
from annotation.questionnaires.types import Criterion
from annotation.results.estimates import SampledRevision
from annotation.results.labels import Target, TargetAnswers, count_answers
from pipeline.data.clusters import COLUMNS, cluster_of
from pipeline.data.staging import batches

ITEMS_AT_ONCE = 500

Answers = dict[Target, int]
ByRevision = dict[int, dict[int, TargetAnswers]]
"""Revision to target to the answers that count; none is empty."""


class ItemAnswers(NamedTuple):
    """The answers about one item, of submitted work that holds a slot."""

    item: int
    side: str
    revision: int
    raters: list[Answers]
    adjudicated: Answers
    texts: list[dict[Target, str]]
    """The raters' texts, parallel to `raters`."""

    @property
    def in_effect(self) -> list[Answers]:
        """Each rater's answers, with the adjudicated ones in place of theirs."""
        if not self.adjudicated:
            return self.raters
        return [
            {key: self.adjudicated.get(key, of_rater[key]) for key in of_rater}
            for of_rater in self.raters
        ]


def read_answers(criteria: Collection[str] = (), **items: Any) -> Iterator[ItemAnswers]:
    """Read the answers to `criteria` (to all if empty) about the judged ones of `items`.

    `items` are lookups of `Item`. Ordered by item. At most two queries.
    """
    of_criteria = {"criterion__in": criteria} if criteria else {}
    adjudicated: dict[int, dict[Target, Adjudication]] | None = None
    rows = (
        Judgment.objects.valid()
        .filter(
            **of_criteria,
            **{f"assignment__item__{name}": value for name, value in items.items()},
        )
        .order_by("assignment__item_id", "assignment_id")
        .values_list(
            "assignment__item_id",
            "assignment__item__side",
            "assignment__item__revision_id",
            "assignment_id",
            "criterion",
            "target",
            "value",
            "text",
        )
    )
    for (item, side, revision), of_item in groupby(rows.iterator(), key=itemgetter(0, 1, 2)):
        if adjudicated is None:  # not queried where nothing is judged
            lookups = {f"item__{name}": value for name, value in items.items()}
            adjudicated = Adjudication.objects.filter(**of_criteria, **lookups).by_target()
        raters: list[Answers] = []
        texts: list[dict[Target, str]] = []
        for _, of_one in groupby(of_item, key=itemgetter(3)):
            raters.append({})
            texts.append({})
            for *_, criterion, target, value, text in of_one:
                raters[-1][criterion, target] = value or 0  # valid leaves no None
                if text:
                    texts[-1][criterion, target] = text
        values = {key: answer.value for key, answer in adjudicated.get(item, {}).items()}
        yield ItemAnswers(item, side, revision, raters, values, texts)


def answers_by_revision(criterion: Criterion, **items: Any) -> dict[str, ByRevision]:
    """Map each side to the answers that count about each target of its judged revisions.

    Answers of several campaigns about one revision are joined.
    """
    criteria = [criterion.name, *(criterion.unless or ())[:1]]
    sides: dict[str, ByRevision] = {}
    for each in read_answers(criteria, **items):
        for target in sorted({target for of_rater in each.raters for _, target in of_rater}):
            answers = count_answers(criterion, target, each.raters, each.adjudicated)
            if answers.levels:
                targets = sides.setdefault(each.side, {}).setdefault(each.revision, {})
                known = targets.get(target)
                targets[target] = known.joined_with(answers) if known else answers
    return sides


def read_judged(
    campaign: Campaign, phase: str, *fields: str
) -> Iterator[tuple[dict[str, Any], ItemAnswers]]:
    """Read each judged item's `fields` and answers; "sample" is its `SampledRevision`."""
    columns = ("pk", "inclusion", "revision__run_id", *COLUMNS, *fields)
    # In batches: with a second open cursor, PostgreSQL's client can deadlock with itself.
    for some in batches(read_answers(**in_phase(campaign, phase)), ITEMS_AT_ONCE):
        items = Item.objects.filter(pk__in=[each.item for each in some]).values(*columns)
        by_key = {item["pk"]: item for item in items}
        for each in some:
            item = by_key[each.item]
            sample = SampledRevision(
                run=item["revision__run_id"],
                passage=item["passage_id"],
                weight=1 / item["inclusion"],
                cluster=cluster_of(*(item[name] for name in COLUMNS)),
            )
            yield {**item, "sample": sample}, each


def in_phase(campaign: Campaign, phase: str) -> dict[str, Any]:
    """Lookups for the items of one phase (`Item.Phase`), or of all if it is empty."""
    return {"campaign": campaign, "phase": phase} if phase else {"campaign": campaign}
