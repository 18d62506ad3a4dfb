"""What raters said about training and gold items, beside what is right: a table of its own.

No other file holds it, so that nobody counts it as a judgment by mistake.
"""

import csv
from collections.abc import Iterator

from django.db.models import OuterRef, Subquery

from annotation.exporting.csv_file import Echo, neutral
from annotation.exporting.export import Format
from annotation.exporting.reading import Counts, pseudonym
from annotation.models import Campaign, Judgment, RightAnswer

COLUMNS = (
    "campaign", "item", "passage", "side", "use", "criterion", "target_index", "rater", "value",
    "right_value", "is_right", "submitted_at", "dataset", "system", "run",
)  # fmt: skip


def lines(campaign: Campaign, counts: Counts) -> Iterator[str]:
    """The header, then a row an answer that was handed in about a target with a right answer.

    Of training it is the try that goes on or was the last.
    """
    table = csv.writer(Echo())
    yield "\ufeff" + table.writerow(COLUMNS)
    right = RightAnswer.objects.filter(
        item=OuterRef("assignment__item"),
        criterion=OuterRef("criterion"),
        target=OuterRef("target"),
    )
    rows = (
        Judgment.objects.filter(
            assignment__item__campaign=campaign,
            assignment__submitted_at__isnull=False,
            value__isnull=False,
        )
        .exclude(assignment__purpose="")
        .annotate(right=Subquery(right.values("value")[:1]))
        .filter(right__isnull=False)
        .order_by("assignment__item__position", "assignment", "criterion", "target")
        .values_list(
            "assignment__item__position",
            "assignment__item__revision__passage__external_id",
            "assignment__item__side",
            "assignment__purpose",
            "criterion",
            "target",
            "assignment__rater",
            "value",
            "right",
            "assignment__submitted_at",
            "assignment__item__revision__run__dataset__slug",
            "assignment__item__revision__run__system",
            "assignment__item__revision__run",
        )
    )
    for (
        position, passage, side, use, criterion, target, rater, value, is_so, at, *origin
    ) in rows.iterator():  # fmt: skip
        counts.lines += 1
        counts.judgments += 1
        counts.raters.add(rater)
        cells = (
            campaign.slug, position, passage, side, use, criterion, target,
            pseudonym(campaign, rater), value, is_so, int(value == is_so),
            at.isoformat(timespec="seconds"), *origin,
        )  # fmt: skip
        yield table.writerow(map(neutral, cells))


CHECKS = Format(name="checks", suffix=".csv", content_type="text/csv; charset=utf-8", lines=lines)
