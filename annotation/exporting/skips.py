"""What raters could not judge, and why: a row a skip that stands, for those who mend items."""

import csv
from collections.abc import Iterator
from typing import Any

from annotation.exporting.csv_file import Echo, neutral
from annotation.exporting.export import Format
from annotation.exporting.reading import PARTICIPATION, Counts, pseudonym
from annotation.models import Assignment, Campaign
from annotation.participants import state_now

COLUMNS = (
    "campaign", "item", "passage", "side", "phase", "use", "rater", "participant", "reason",
    "reason_text", "note", "comment", "claimed_at", "skipped_at", "active_seconds", "idle_seconds",
)  # fmt: skip


def lines(campaign: Campaign, counts: Counts) -> Iterator[str]:
    """The header, then the skips in the campaign's order; of one item, who skipped first is first.

    A skip that its rater took back is none.
    """
    table = csv.writer(Echo())
    yield "\ufeff" + table.writerow(COLUMNS)
    words = dict(Assignment.SkipReason.choices)
    for row in _rows(campaign):
        position, passage, side, phase, use, rater, reason, note, comment, *times = row
        claimed_at, skipped_at, active_ms, idle_ms, *told = times
        is_timed = active_ms + idle_ms > 0  # else nobody measured, which is not none
        counts.lines += 1
        counts.raters.add(rater)
        cells = (
            campaign.slug, position, passage, side, phase, use, pseudonym(campaign, rater),
            state_now(*told), reason, words.get(reason, ""), note, comment,
            claimed_at.isoformat(timespec="seconds"), skipped_at.isoformat(timespec="seconds"),
            round(active_ms / 1000, 1) if is_timed else "",
            round(idle_ms / 1000, 1) if is_timed else "",
        )  # fmt: skip
        yield table.writerow(map(neutral, cells))


def _rows(campaign: Campaign) -> Iterator[tuple[Any, ...]]:
    return (
        Assignment.objects.filter(item__campaign=campaign, skipped_at__isnull=False)
        .order_by("item__position", "skipped_at", "pk")
        .values_list(
            "item__position", "item__revision__passage__external_id", "item__side", "item__phase",
            "purpose", "rater", "skip_reason", "skip_note", "comment", "claimed_at", "skipped_at",
            "active_ms", "idle_ms", *PARTICIPATION,
        )
        .iterator(chunk_size=500)
    )  # fmt: skip


SKIPS = Format(name="skips", suffix=".csv", content_type="text/csv; charset=utf-8", lines=lines)
