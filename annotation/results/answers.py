"""Raters' and adjudicators' answers, read for figures."""

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import F, Q

from annotation.models import Adjudication, Campaign, Item, Judgment
from annotation.questionnaires.types import Criterion
from annotation.results.labels import AnswerKey, TargetAnswers, target_answers
from annotation.results.samples import SampledRevision
from pipeline.data.labelled_answers import CLUSTER_COLUMNS, cluster_of
from pipeline.data.staging import batches

ITEMS_AT_ONCE = 500

Answers = dict[AnswerKey, int]
AnswersByRevision = dict[int, dict[int, TargetAnswers]]
"""[revision][index of target]: its answers; judged targets only."""


class ItemAnswers(NamedTuple):
    """The answers about one item, of submitted work with a slot; late work has none."""

    item: int
    side: str
    revision: int
    by_rater: list[Answers]
    adjudicated: Answers
    texts: list[dict[AnswerKey, str]]
    """Written answers that are not empty, parallel to `by_rater`."""

    @property
    def final_by_rater(self) -> list[Answers]:
        """Each rater's answers, with the adjudicated ones in place of theirs."""
        return [
            {key: self.adjudicated.get(key, value) for key, value in given.items()}
            for given in self.by_rater
        ]


def read_answers(criteria: Collection[str] = (), **item_lookups: Any) -> Iterator[ItemAnswers]:
    """Read the answers to `criteria` (all if empty) about items, ordered by item.

    Items that share answers have the same. Items without answers are omitted. At most two queries.
    """
    to_criteria = {"criterion__in": criteria} if criteria else {}
    adjudicated: dict[int, dict[AnswerKey, Adjudication]] | None = None
    judged, sharing = (
        Judgment.objects.valid()
        .filter(**to_criteria, **{f"{path}__{name}": each for name, each in item_lookups.items()})
        .order_by()
        .annotate(item=F(f"{path}__pk"), judged_item=F("assignment__item"))
        .values_list(
            *("item", f"{path}__side", f"{path}__revision_id", "judged_item", "assignment_id"),
            *("criterion", "target", "value", "text"),
        )
        for path in ("assignment__item", "assignment__item__sharing")
    )
    rows = judged.union(sharing, all=True).order_by("item", "assignment_id")
    for (item, side, revision, judged_item), of_item in groupby(
        rows.iterator(), key=itemgetter(0, 1, 2, 3)
    ):
        if adjudicated is None:  # not queried where nothing is judged
            either = Q(**{f"item__{name}": value for name, value in item_lookups.items()})
            either |= Q(**{f"item__sharing__{name}": each for name, each in item_lookups.items()})
            adjudicated = Adjudication.objects.filter(either, **to_criteria).by_target()
        by_rater: list[Answers] = []
        texts: list[dict[AnswerKey, str]] = []
        for _, of_rater in groupby(of_item, key=itemgetter(4)):
            by_rater.append({})
            texts.append({})
            for *_, criterion, target, value, text in of_rater:
                by_rater[-1][criterion, target] = value or 0  # never None: the type allows it
                if text:
                    texts[-1][criterion, target] = text
        values = {key: answer.value for key, answer in adjudicated.get(judged_item, {}).items()}
        yield ItemAnswers(item, side, revision, by_rater, values, texts)


def answers_by_side(criterion: Criterion, **item_lookups: Any) -> dict[str, AnswersByRevision]:
    """Read valid answers about items, joining those of several campaigns about a target."""
    criteria = [criterion.name]
    if criterion.unless is not None:
        criteria.append(criterion.unless[0])
    sides: dict[str, AnswersByRevision] = {}
    for each in read_answers(criteria, **item_lookups):
        for target in sorted({target for given in each.by_rater for _, target in given}):
            answers = target_answers(criterion, target, each.by_rater, each.adjudicated)
            if answers.levels:
                targets = sides.setdefault(each.side, {}).setdefault(each.revision, {})
                earlier = targets.get(target)
                targets[target] = earlier.joined_with(answers) if earlier else answers
    return sides


def items_with_answers(
    campaign: Campaign, phase: str, *fields: str
) -> Iterator[tuple[dict[str, Any], ItemAnswers]]:
    """Read judged items' `fields`, their `SampledRevision` as "sample", and answers."""
    # The first of `CLUSTER_COLUMNS` is the passage.
    columns = ("pk", "inclusion", "revision__run_id", *CLUSTER_COLUMNS, *fields)
    # In batches: with a second open cursor, PostgreSQL's client can deadlock with itself.
    for batch in batches(read_answers(**in_phase(campaign, phase)), ITEMS_AT_ONCE):
        items = Item.objects.filter(pk__in=[each.item for each in batch]).values(*columns)
        by_key = {item["pk"]: item for item in items}
        for each in batch:
            item = by_key[each.item]
            sample = SampledRevision(
                run=item["revision__run_id"],
                passage=item["passage_id"],
                weight=1 / item["inclusion"],
                cluster=cluster_of(*(item[name] for name in CLUSTER_COLUMNS)),
            )
            yield {**item, "sample": sample}, each


def in_phase(campaign: Campaign, phase: str) -> dict[str, Any]:
    """Lookups for the items of one phase (`Item.Phase`), or of all if it is empty."""
    return {"campaign": campaign, "phase": phase} if phase else {"campaign": campaign}
