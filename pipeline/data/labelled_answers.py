"""The labelled answers of a dataset, as HAGRID files and campaigns' exports bring them."""

import hashlib
from collections.abc import Mapping
from typing import Any

from pipeline.importing.hagrid import is_answer, line_key
from pipeline.metrics.answer_statistics import LABELS, LabelledAnswer, LabelledSentence
from pipeline.metrics.citation_marks import cited
from pipeline.models import Dataset, Passage

BATCH = 100
"""Passages at a time: each can have brought many quotes."""


def has_quotes(dataset: Dataset) -> bool:
    """Whether one of its passages is an answer with quotes. One query."""
    alike = Passage.objects.filter(dataset=dataset, source__has_keys=["answer", "quotes"])
    rows = alike.order_by("pk").values_list("external_id", "source")
    # Lines of one file are alike: where none of ten is an answer, those that follow are none.
    return any(is_labelled(name, source) for name, source in rows[:10])


def answers_of(dataset: Dataset) -> list[LabelledAnswer]:
    """Its answers with quotes. One query."""
    rows = Passage.objects.filter(dataset=dataset).order_by("pk")
    return [
        labelled_answer(*row).lean
        for row in rows.values_list("external_id", "text", "source").iterator(BATCH)
        if is_labelled(row[0], row[2])
    ]


def is_labelled(name: str, source: Mapping[str, Any]) -> bool:
    """Whether a passage with this id and these other fields is an answer with quotes."""
    return is_answer(name, source) and bool(_quotes(source))


def state_of(dataset: Dataset) -> str:
    """Changes with whatever its passages say. One query."""
    found = hashlib.sha256()
    rows = Passage.objects.filter(dataset=dataset).order_by("pk")
    for content in rows.values_list("content_hash", flat=True).iterator():
        found.update(content.encode())
    return found.hexdigest()


def labelled_answer(name: str, text: str, source: Mapping[str, Any]) -> LabelledAnswer:
    """The answer that such a passage is."""
    quotes = _quotes(source)
    places = {_number(quote, place): place - 1 for place, quote in enumerate(quotes, start=1)}
    answer = source["answer"]
    told = _objects(answer.get("sentences"))
    split = source.get("split")
    return LabelledAnswer(
        id=name,
        question=line_key(name, source),
        text=text,
        quotes=tuple(str(quote.get("text") or "") for quote in quotes),
        cited=_places_of(text, places),
        labels=_labels(answer),
        sentences=tuple(
            LabelledSentence(text=said, labels=_labels(each), cited=_places_of(said, places))
            for each in told
            for said in [str(each.get("text") or "")]
        ),
        group=split if isinstance(split, str) else "",
    )


def _places_of(text: str, places: Mapping[int, int]) -> tuple[int, ...]:
    """The places of the quotes that a text cites, by the numbers that it may cite them by."""
    return tuple(dict.fromkeys(places[number] for number in cited(text) if number in places))


def _labels(told: Mapping[str, Any]) -> dict[str, int | None]:
    return {key: int(told[key]) if told.get(key) in (0, 1) else None for key in LABELS}


def _quotes(source: Mapping[str, Any]) -> list[dict[str, Any]]:
    return _objects(source.get("quotes"))


def _objects(given: Any) -> list[dict[str, Any]]:
    """Those of a list; lines of other formats may have anything under HAGRID's keys."""
    return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []


def _number(quote: Mapping[str, Any], place: int) -> int:
    number = quote.get("idx")
    return number if isinstance(number, int) and number else place
