"""Passages that raters revised by hand, a line for each submitted revision.

A line begins like RARR's public input (`input_info`), so `revise` reads it.
"""

from collections.abc import Iterator
from typing import Any

from rapidfuzz.distance import Levenshtein

from annotation.exporting.context import ExportContext
from annotation.exporting.export import jsonl_format
from annotation.exporting.item_reader import judgments_to_export, read_items, with_sharing
from annotation.exporting.judged_items import ORIGIN, JudgedItem, SubmittedAnswer, SubmittedWork
from annotation.exporting.schema import NUMBER, TEXT, TRUTH, WHOLE, Fields
from annotation.items.run_groups import links_of
from pipeline.metrics.preservation import preservation_levenshtein

CRITERION = "revision"
FIELDS: Fields = {
    "id": TEXT,
    "input_info": {"claim": TEXT, "context": TEXT},
    "side": TEXT,
    "evidence": [{"title": TEXT, "url": TEXT, "text": TEXT}],
    "revised_text": TEXT,
    "edit_distance": WHOLE,
    "preservation": NUMBER,
    "rater": TEXT,
    "late": TRUTH,
    "submitted_at": TEXT,
    "comment": TEXT,
    "guidelines": WHOLE,
    "participant": TEXT,
    "shared_with": WHOLE,
    **ORIGIN,
}


def objects(context: ExportContext) -> Iterator[dict[str, Any]]:
    """Yield an object for each rater and passage, late work last and marked."""
    several = len(links_of(context.campaign)) > 1
    for item in read_items(context):
        for work in item.work:
            for answer in work.answers:
                if answer.criterion == CRITERION:
                    edit = _edit(context, item, work, answer)
                    yield edit | item.origin if several else edit


GOLD_EDITS = jsonl_format(
    objects,
    name="gold_edits",
    fields=FIELDS,
    title="manual revisions",
    about="One line per revision by a rater with passage, evidence and edit distance",
    count=lambda campaign: with_sharing(
        judgments_to_export(campaign).filter(criterion=CRITERION), item="assignment__item"
    ),
    kinds=("manual_revision",),
)


def _edit(
    context: ExportContext, item: JudgedItem, work: SubmittedWork, answer: SubmittedAnswer
) -> dict[str, Any]:
    revised = answer.text
    return {
        "id": item.passage_id,
        "input_info": {"claim": item.text, "context": item.context},
        "side": item.side,
        "evidence": [
            {name: each[name] for name in ("title", "url", "text")} for each in item.evidence
        ],
        "revised_text": revised,
        "edit_distance": Levenshtein.distance(item.text, revised),
        "preservation": preservation_levenshtein(item.text, revised),
        "rater": context.pseudonym(work.rater_id),
        "late": work.is_late,
        "submitted_at": work.submitted_at.isoformat(timespec="seconds"),
        "comment": work.comment,
        "guidelines": answer.guidelines,
        "participant": work.participant or None,
        "shared_with": item.shared_position,
    }
