"""A row for each item that a rater skipped."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from annotation.exporting.context import ExportContext
from annotation.exporting.export import csv_format
from annotation.exporting.item_reader import PARTICIPATION
from annotation.exporting.schema import NUMBER, TEXT, WHOLE, Fields
from annotation.models import Assignment, Campaign

COLUMNS: Fields = (
    {"campaign": TEXT, "item": WHOLE}
    | dict.fromkeys(("passage", "side", "phase", "use", "rater", "participant"), TEXT)
    | dict.fromkeys(("reason", "reason_text", "note", "comment", "claimed_at", "skipped_at"), TEXT)
    | {"active_seconds": NUMBER, "idle_seconds": NUMBER}
)


def skips_of(campaign: Campaign) -> QuerySet[Assignment]:
    return Assignment.objects.filter(item__campaign=campaign, skipped_at__isnull=False)


def rows(context: ExportContext) -> Iterator[dict[str, Any]]:
    """Yield the skips in the campaign's order, those of one item by time.

    Withdrawn skips are excluded.
    """
    campaign, counts = context.campaign, context.counts
    reasons = dict(Assignment.SkipReason.choices)
    names = ["item__position", "item__revision__passage__external_id", "item__side", "item__phase"]
    names += ["purpose", "rater", "skip_reason", "skip_note", "comment", "claimed_at", "skipped_at"]
    skips = (
        skips_of(campaign)
        .order_by("item__position", "skipped_at", "pk")
        .values_list(*names, "active_ms", "idle_ms", PARTICIPATION)
    )
    for row in skips.iterator(chunk_size=500):
        position, passage, side, phase, use, rater, reason, note, comment, *times = row
        claimed_at, skipped_at, active_ms, idle_ms, participation = times
        counts.raters.add(rater)
        cells = {"campaign": campaign.slug, "item": position, "passage": passage, "side": side}
        cells |= {"phase": phase, "use": use, "rater": context.pseudonym(rater)}
        cells |= {"participant": participation or "", "note": note, "comment": comment}
        cells |= {"reason": reason, "reason_text": reasons.get(reason)}
        cells["claimed_at"] = claimed_at.isoformat(timespec="seconds")
        cells["skipped_at"] = skipped_at.isoformat(timespec="seconds")
        if active_ms + idle_ms > 0:  # measured
            cells["active_seconds"] = round(active_ms / 1000, 1)
            cells["idle_seconds"] = round(idle_ms / 1000, 1)
        yield cells


SKIPS = csv_format(
    rows,
    name="skips",
    columns=COLUMNS,
    title="skips",
    about="One row per skipped item with the rater’s reason",
    count=lambda campaign: skips_of(campaign).count(),
    splits=False,
)
