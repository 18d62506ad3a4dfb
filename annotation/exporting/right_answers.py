"""The right answers of the items in use, as lines that another campaign takes by upload."""

import json
from collections.abc import Iterator

from annotation.exporting.export import Format
from annotation.exporting.hagrid import LINE_ENDS
from annotation.exporting.reading import Counts
from annotation.models import Campaign
from annotation.right_answer_lines import plain_rows
from annotation.right_answers import in_use
from annotation.strata import links_of


def lines(campaign: Campaign, counts: Counts) -> Iterator[str]:
    """A JSON object a training or gold item."""
    items = in_use(campaign).select_related("revision__passage").prefetch_related("right_answers")
    several = len(links_of(campaign)) > 1
    for plain in plain_rows(items.iterator(chunk_size=100), by_run=several):
        counts.lines += 1
        counts.items += 1
        yield json.dumps(plain, ensure_ascii=False).translate(LINE_ENDS) + "\n"


RIGHT_ANSWERS = Format(
    name="right_answers",
    suffix=".jsonl",
    content_type="application/jsonl; charset=utf-8",
    lines=lines,
)
