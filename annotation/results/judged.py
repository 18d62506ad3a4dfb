"""What raters said of each item: the answers that count, settled ones in place of others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from annotation.models import Adjudication, Campaign, Item, Judgment
from annotation.questionnaires.types import Criterion
from annotation.results.estimates import Drawn
from annotation.results.labels import Label, majority
from pipeline.data.staging import batches

ITEMS_AT_ONCE = 500
Answers = Mapping[tuple[str, int], tuple[int, str]]
"""(criterion, target) to (value, text): one rater's answers about one item."""


def read_judged(
    campaign: Campaign, phase: str, *fields: str
) -> Iterator[tuple[dict[str, Any], list[Answers]]]:
    """Each item with work that counts, and its raters' answers.

    A settled answer replaces that of every rater who answered the same. `drawn` says how the
    item's passage was drawn.
    """
    settled = Adjudication.objects.filter(item__campaign=campaign).by_target()
    rows = (
        Judgment.objects.that_count()
        .in_campaign(campaign, phase=phase)
        .order_by("assignment__item_id", "assignment_id")
        .values_list("assignment__item_id", "assignment_id", "criterion", "target", "value", "text")
    )
    judged = (
        (item_id, _said(of_item, settled.get(item_id, {})))
        for item_id, of_item in groupby(rows.iterator(), key=lambda row: row[0])
    )
    columns = ("pk", "inclusion", "revision__run_id", "passage_id", *fields)
    # No second stream beside the judgments: one that is left before its end keeps a cursor open,
    # and PostgreSQL's client waits for itself when the collector closes that in another query.
    for some in batches(judged, ITEMS_AT_ONCE):
        items = Item.objects.filter(pk__in=[item_id for item_id, _ in some]).values(*columns)
        by_key = {item["pk"]: item for item in items}
        for item_id, said in some:
            found = by_key[item_id]
            drawn = Drawn(
                run=found["revision__run_id"],
                passage=found["passage_id"],
                weight=1 / found["inclusion"],
            )
            yield {**found, "drawn": drawn}, said


def _said(of_item: Iterable[tuple[Any, ...]], decided: Mapping[Any, Any]) -> list[Answers]:
    """What each rater of an item said, as far as nothing else was decided."""
    return [
        {
            (criterion, target): (
                decided[criterion, target].value if (criterion, target) in decided else value,
                text,
            )
            for _, _, criterion, target, value, text in of_one
        }
        for _, of_one in groupby(of_item, key=lambda row: row[1])
    ]


def part_label(
    criterion: Criterion,
    part: int,
    citations: Sequence[Mapping[str, int]],
    raters: Sequence[Answers],
) -> Label:
    """What most raters say of a part; 0 where nobody was asked, as it cites nothing."""
    votes = [
        said[criterion.name, part][0] == 1 for said in raters if (criterion.name, part) in said
    ]
    if not votes and criterion.is_cited_only:
        votes = [False for _ in raters if all(each["sentence"] != part for each in citations)]
    return majority(votes)
