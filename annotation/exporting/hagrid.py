"""HAGRID's shape: a line for each passage, with its question, quotes and labelled answers.

A passage's two sides are two answers on one line. docs/export.md has the rules for the labels,
and what `answer_type` means here.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from annotation.exporting.counts import Counts
from annotation.exporting.export import jsonl_format
from annotation.exporting.item_reader import read_items
from annotation.exporting.judged_items import ORIGIN, JudgedItem
from annotation.exporting.labels import Label, answer_label, any_label
from annotation.exporting.schema import NUMBER, TEXT, WHOLE, Fields
from annotation.items.run_groups import links_of
from annotation.models import Campaign

FIELDS: Fields = {
    "query": TEXT,
    "query_id": TEXT,
    "quotes": [{"idx": WHOLE, "docid": TEXT, "text": TEXT}],
    "answers": [
        {
            "answer": TEXT,
            "answer_type": TEXT,
            "informative": WHOLE,
            "attributable": WHOLE,
            "sentences": [
                {"index": WHOLE, "text": TEXT, "informative": WHOLE, "attributable": WHOLE}
            ],
        }
    ],
    "weight": NUMBER,
    **ORIGIN,
}


def objects(campaign: Campaign, counts: Counts) -> Iterator[dict[str, Any]]:
    """An object for each passage; passages that nobody judged have null labels."""
    items = read_items(campaign, counts)
    is_asked = campaign.questionnaire == "answer_quality"
    several = len(links_of(campaign)) > 1
    for _, of_revision in groupby(items, key=lambda each: each.revision_id):
        sides = list(of_revision)
        line: dict[str, Any] = {
            "query": sides[0].context,
            "query_id": sides[0].passage_id,
            "quotes": _quotes(sides),
            "answers": [_answer(side, is_asked=is_asked) for side in sides],
        }
        if campaign.sampling != Campaign.Sampling.ALL:
            line["weight"] = sides[0].weight
        yield line | sides[0].origin if several else line


HAGRID = jsonl_format(
    "hagrid",
    objects,
    fields=FIELDS,
    title="HAGRID (JSON lines)",
    about=(
        "One line per passage: its question, the evidence as quotes, and the text before and "
        "after as answers, with a label for every sentence. For training, evaluation and "
        "re-import.\n\n"
        "A sentence is 1 or 0 by adjudication, otherwise by majority. It is null if nobody "
        "judged it, or if there is a tie without adjudication. Late work does not count.\n\n"
        "An answer is 1 when every sentence is 1, and 0 when any sentence is 0; otherwise it "
        "is null."
    ),
    kinds=("attribution", "answer_quality"),
)


def _quotes(sides: Sequence[JudgedItem]) -> list[dict[str, Any]]:
    """The evidence that raters saw, each snippet once; both sides are shown the same."""
    quotes: dict[tuple[str, str, str], tuple[int | None, str]] = {}
    for side in sides:
        for shown, document_id in zip(side.evidence, side.document_ids, strict=True):
            key = (shown["title"], shown["url"], shown["text"])
            # A source that an imported answer cites by a number keeps the number.
            known = document_id or shown["url"] or shown["title"]
            quotes.setdefault(key, (shown.get("number"), known))
    return [
        {"idx": number or place, "docid": document_id, "text": text}
        for place, ((_, _, text), (number, document_id)) in enumerate(quotes.items(), start=1)
    ]


def _answer(side: JudgedItem, *, is_asked: bool) -> dict[str, Any]:
    labels = [side.label("attributable", target) for target in range(len(side.sentences))]
    informative = [side.label("informative", target) for target in range(len(side.sentences))]
    # Where raters are not asked whether it informs, the label of an imported file still holds for
    # the same text, but not for a revised one.
    imported = side.imported if side.text == side.original_text else {}
    known = {
        each["text"]: _label(each.get("informative"))
        for each in imported.get("sentences") or []
        if isinstance(each, dict) and isinstance(each.get("text"), str)
    }
    return {
        "answer": side.text,
        "answer_type": side.side,
        "informative": any_label(informative) if is_asked else _label(imported.get("informative")),
        "attributable": answer_label(labels),
        "sentences": [
            {
                "index": index,
                "text": text,
                "informative": informative[index] if is_asked else known.get(text),
                "attributable": labels[index],
            }
            for index, text in enumerate(side.sentences)
        ],
    }


def _label(value: object) -> Label:
    return int(value) if isinstance(value, int | float) and value in (0, 1) else None
