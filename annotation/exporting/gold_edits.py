"""Gold edits: what raters made of a passage by hand, a line a submitted revision.

The line begins as RARR's public input does (`input_info`), so `revise` reads it as it stands, and
goes on with the rater's text and how far it is from the passage.
"""

import json
from collections.abc import Iterator
from typing import Any

from rapidfuzz.distance import Levenshtein

from annotation.exporting.export import Format
from annotation.exporting.hagrid import LINE_ENDS
from annotation.exporting.reading import Answer, Counts, JudgedItem, Work, pseudonym, read_items
from annotation.models import Campaign
from annotation.strata import links_of
from pipeline.metrics.preservation import preservation_levenshtein

CRITERION = "revision"


def lines(campaign: Campaign, counts: Counts) -> Iterator[str]:
    """A JSON object a rater and passage, late work last and marked; none for other campaigns."""
    several = len(links_of(campaign)) > 1
    for item in read_items(campaign, counts):
        for work in item.work:
            for answer in work.answers:
                if answer.criterion == CRITERION:
                    counts.lines += 1
                    line = _line(campaign, item, work, answer) | (item.origin if several else {})
                    yield json.dumps(line, ensure_ascii=False).translate(LINE_ENDS) + "\n"


GOLD_EDITS = Format(
    name="gold_edits",
    suffix=".jsonl",
    content_type="application/jsonl; charset=utf-8",
    lines=lines,
    kinds=("manual_revision",),
)


def _line(campaign: Campaign, item: JudgedItem, work: Work, answer: Answer) -> dict[str, Any]:
    revised = answer.text
    return {
        "id": item.passage_id,
        "input_info": {"claim": item.text, "context": item.context},
        "side": item.side,
        "evidence": [dict(each) for each in item.evidence],
        "revised_text": revised,
        "edit_distance": Levenshtein.distance(item.text, revised),
        "preservation": preservation_levenshtein(item.text, revised),
        "rater": pseudonym(campaign, work.rater_id),
        "late": work.is_late,
        "submitted_at": work.submitted_at.isoformat(timespec="seconds"),
        "comment": work.comment,
        "guidelines": answer.guidelines,
        "participant": work.participant or None,
    }
