"""HAGRID's shape: a line a passage, its question, its quotes, its answers with their labels.

A passage's two sides are two answers of one line. Which rule gives which label, and what
`answer_type` means here, stands in docs/export.md.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from annotation.exporting.export import Format
from annotation.exporting.labels import Label, answer_label, any_label
from annotation.exporting.reading import Counts, JudgedItem, read_items
from annotation.models import Campaign, Judgment
from annotation.strata import links_of

LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\u0085\u2028\u2029"}
"""JSON lets them stand as they are; some readers of JSON lines would end a line there."""


def lines(campaign: Campaign, counts: Counts) -> Iterator[str]:
    """A JSON object a passage; passages that nobody judged have null labels."""
    items = read_items(campaign, counts)
    is_asked = campaign.questionnaire == "answer_quality"
    several = len(links_of(campaign)) > 1
    for _, sides in groupby(items, key=lambda each: each.revision_id):
        counts.lines += 1
        shown = list(sides)
        line = _line(shown, is_asked=is_asked)
        if campaign.sampling != Campaign.Sampling.ALL:
            line["weight"] = shown[0].weight
        if several:
            line |= shown[0].origin
        yield json.dumps(line, ensure_ascii=False).translate(LINE_ENDS) + "\n"


HAGRID = Format(
    name="hagrid",
    suffix=".jsonl",
    content_type="application/jsonl; charset=utf-8",
    lines=lines,
    kinds=("attribution", "answer_quality"),
)


INFORMATIVE = "informative"
"""The criterion of the questionnaire on answer quality."""


def _line(sides: Sequence[JudgedItem], *, is_asked: bool) -> dict[str, Any]:
    return {
        "query": sides[0].context,
        "query_id": sides[0].passage_id,
        "quotes": _quotes(sides),
        "answers": [_answer(side, is_asked=is_asked) for side in sides],
    }


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
    labels = [
        side.label(Judgment.Criterion.ATTRIBUTABLE, target) for target in range(len(side.sentences))
    ]
    informative = [side.label(INFORMATIVE, target) for target in range(len(side.sentences))]
    # Where informativeness is not asked, what an imported file said of the very same text still
    # holds; of a text that was revised it does not.
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
