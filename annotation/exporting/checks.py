"""Raters' answers to training and gold items, and the reference answers.

No other file holds these answers.
"""

from collections.abc import Iterator
from typing import Any

from django.db.models import F

from annotation.exporting.context import ExportContext
from annotation.exporting.export import csv_format, jsonl_format
from annotation.exporting.judged_items import ORIGIN
from annotation.exporting.schema import TEXT, WHOLE, Fields
from annotation.items.run_groups import links_of
from annotation.quality_control.reference_answers import in_use, with_reference_answers

COLUMNS: Fields = (
    {"campaign": TEXT, "item": WHOLE}
    | dict.fromkeys(("passage", "side", "use", "criterion"), TEXT)
    | {"target_index": WHOLE, "rater": TEXT}
    | dict.fromkeys(("value", "reference_value", "is_right"), WHOLE)
    | {"submitted_at": TEXT, **ORIGIN}
)


def rows(context: ExportContext) -> Iterator[dict[str, Any]]:
    """Yield a row for each submitted answer with a reference answer, of the latest attempt."""
    campaign, counts = context.campaign, context.counts
    judgments = with_reference_answers(campaign).order_by(
        "assignment__item__position", "assignment", "criterion", "target"
    )
    selected = judgments.values(
        "criterion",
        "value",
        target_index=F("target"),
        reference_value=F("right"),
        item=F("assignment__item__position"),
        side=F("assignment__item__side"),
        passage=F("assignment__item__revision__passage__external_id"),
        use=F("assignment__purpose"),
        rater=F("assignment__rater"),
        submitted_at=F("assignment__submitted_at"),
        dataset=F("assignment__item__revision__run__dataset__slug"),
        system=F("assignment__item__revision__run__system"),
        run=F("assignment__item__revision__run"),
    )
    for row in selected.iterator():
        counts.judgments += 1
        counts.labels[row["criterion"]].judgments += 1
        counts.raters.add(row["rater"])
        yield row | {
            "campaign": campaign.slug,
            "rater": context.pseudonym(row["rater"]),
            "is_right": int(row["value"] == row["reference_value"]),
            "submitted_at": row["submitted_at"].isoformat(timespec="seconds"),
        }


CHECKS = csv_format(
    rows,
    name="checks",
    columns=COLUMNS,
    title="training and gold answers",
    about="One row per answer of a rater to a training or gold item, with the right answer",
    count=lambda campaign: with_reference_answers(campaign).count(),
    splits=False,
)


def reference_answers(context: ExportContext) -> Iterator[dict[str, Any]]:
    campaign, counts = context.campaign, context.counts
    items = (
        in_use(campaign).select_related("revision__passage").prefetch_related("reference_answers")
    )
    by_run = len(links_of(campaign)) > 1
    for item in items.iterator(chunk_size=100):
        counts.items += 1
        yield {
            "passage": item.revision.passage.external_id,
            "side": item.side,
            **({"run": item.revision.run_id} if by_run else {}),
            "use": item.use,
            "answers": [
                {name: getattr(row, name) for name in ("criterion", "target", "value", "why")}
                for row in item.reference_answers.all()
            ],
        }


REFERENCE_ANSWERS = jsonl_format(
    reference_answers,
    name="reference_answers",
    fields={
        "passage": TEXT,
        "side": TEXT,
        "run": WHOLE,
        "use": TEXT,
        "answers": [{"criterion": TEXT, "target": WHOLE, "value": WHOLE, "why": TEXT}],
    },
    title="right answers",
    about="One line per training or gold item with its right answers",
    count=lambda campaign: in_use(campaign).count(),
    splits=False,
)
