"""A table with a row for each judgment."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from annotation.exporting.context import ExportContext
from annotation.exporting.export import csv_format
from annotation.exporting.item_reader import (
    judgments_to_export,
    read_items,
    with_sharing,
    work_to_export,
)
from annotation.exporting.judged_items import ORIGIN, JudgedItem, SubmittedWork
from annotation.exporting.schema import NUMBER, TEXT, WHOLE, Fields
from annotation.models import Adjudication, Campaign
from annotation.questionnaires import questionnaire_of

COLUMNS: Fields = (
    {"campaign": TEXT, "item": WHOLE}
    | dict.fromkeys(("passage", "side", "criterion", "target_kind"), TEXT)
    | {"target_index": WHOLE, "target_text": TEXT, "rater": TEXT}
    | dict.fromkeys(("value", "slot", "late"), WHOLE)
    | dict.fromkeys(("submitted_at", "comment", "text", "edited_at"), TEXT)
    | {"active_seconds": NUMBER, "idle_seconds": NUMBER, "clicks": WHOLE, "keys": WHOLE}
    | {"phase": TEXT, "weight": NUMBER, "guidelines": WHOLE, "participant": TEXT, **ORIGIN}
    | {"shared_with": WHOLE}
)
ADJUDICATION = "adjudication"
"""In place of a rater's pseudonym in rows of adjudicated answers."""


def rows(context: ExportContext) -> Iterator[dict[str, Any]]:
    """Yield a row for each judgment of a submitted assignment, late ones marked.

    An assignment without answers has one row, without a target. Adjudicated answers follow an
    item's judgments; their rater is `ADJUDICATION`, their comment the reason.
    """
    kinds = {each.name: each.targets for each in questionnaire_of(context.campaign).criteria}
    for item in read_items(context):
        of_item: dict[str, Any] = {"campaign": context.campaign.slug, "item": item.position}
        of_item |= {"passage": item.passage_id, "side": item.side, "phase": item.phase}
        of_item |= {"weight": item.weight, **item.origin, "shared_with": item.shared_position}
        cells_of = _targets(item, kinds)
        for work in item.work:
            of_work = of_item | _work(context, work)
            for answer in work.answers:
                yield {
                    **of_work,
                    **cells_of(answer.criterion, answer.target),
                    "value": answer.value,
                    "text": answer.text,
                    "guidelines": answer.guidelines,
                }
            if not work.answers:
                yield of_work
        for adjudication in item.adjudications.values():
            yield {
                **of_item,
                **cells_of(adjudication.criterion, adjudication.target),
                "value": adjudication.value,
                "rater": ADJUDICATION,
                "late": 0,
                "submitted_at": adjudication.updated_at.isoformat(timespec="seconds"),
                "comment": adjudication.reason,
            }


def count(campaign: Campaign) -> int:
    work, judgments = work_to_export(campaign), judgments_to_export(campaign)
    without_answer = work.exclude(pk__in=judgments.values("assignment"))
    adjudications = Adjudication.objects.filter(item__campaign=campaign)
    return (
        with_sharing(judgments, item="assignment__item")
        + with_sharing(without_answer, item="item")
        + with_sharing(adjudications, item="item")
    )


CSV = csv_format(
    rows,
    name="csv",
    columns=COLUMNS,
    title="judgments",
    about="One row per answer of a rater, with comments and times; for statistics",
    count=count,
)


def _work(context: ExportContext, work: SubmittedWork) -> dict[str, Any]:
    edited_at = work.edited_at
    cells: dict[str, Any] = {
        "rater": context.pseudonym(work.rater_id),
        "slot": work.slot,
        "late": int(work.is_late),
        "submitted_at": work.submitted_at.isoformat(timespec="seconds"),
        "comment": work.comment,
        "edited_at": edited_at.isoformat(timespec="seconds") if edited_at else None,
        "participant": work.participant,
    }
    if work.is_timed:
        cells |= {
            "active_seconds": round(work.active_ms / 1000, 1),
            "idle_seconds": round(work.idle_ms / 1000, 1),
            "clicks": work.clicks,
            "keys": work.keys,
        }
    return cells


def _targets(item: JudgedItem, kinds: Mapping[str, str]) -> Callable[[str, int], Mapping[str, Any]]:
    """Return a function for the cells of a target, computed once for all raters.

    `kinds` maps a criterion to its targets.
    """
    texts_of = cache(partial(_texts, item))

    @cache
    def cells(criterion: str, target: int) -> Mapping[str, Any]:
        kind = kinds.get(criterion, "item")
        texts = texts_of(kind)
        return {
            "criterion": criterion,
            "target_kind": {"sentences": "sentence", "citations": "citation"}.get(kind, kind),
            "target_index": target,
            "target_text": texts[target] if target < len(texts) else "",
        }

    return cells


def _texts(item: JudgedItem, kind: str) -> list[str]:
    if kind == "evidence":
        return [each["text"] for each in item.evidence]
    if kind == "sentences":
        return list(item.sentences)
    if kind == "citations":
        return [
            f"{item.sentences[each['sentence']]} \N{LEFTWARDS ARROW} "
            f"{item.evidence[each['evidence']]['text']}"
            for each in item.citations
        ]
    return [item.text]
