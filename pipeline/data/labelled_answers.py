"""Labelled answers from HAGRID's files and campaigns' exports; clusters of answers."""

import hashlib
from collections.abc import Hashable, Mapping

from django.db.models import QuerySet

from pipeline.importing.hagrid import line_key
from pipeline.importing.passage import PassageSource, Unit
from pipeline.importing.rows import PassageRow
from pipeline.metrics.answer_statistics import LABELS, LabelledAnswer, LabelledSentence
from pipeline.metrics.citation_marks import cited
from pipeline.models import Dataset, Passage

CLUSTER_COLUMNS = (
    "passage_id",
    "passage__dataset_id",
    "passage__external_id",
    "passage__format",
)
"""The arguments of `cluster_of`, in a row that refers to a passage."""
BATCH = 100
"""Passages in memory: each may have many quotes."""


def cluster_of(passage: int, dataset: int, external_id: str, format: str) -> Hashable:  # noqa: A002
    """Return the passage's key, or one for all answers to a question of a dataset.

    >>> cluster_of(3, 1, "7-2", "hagrid"), cluster_of(3, 1, "7-2", "jsonl")
    ((1, '7'), 3)
    """
    return (dataset, line_key(external_id, format)) if format == "hagrid" else passage


def has_quotes(dataset: Dataset) -> bool:
    """Return whether answers have quotes, with one query."""
    # Lines of one file are alike.
    return any(source.sources for source in _answers(dataset).values_list("source", flat=True)[:10])


def answers_of(dataset: Dataset) -> list[LabelledAnswer]:
    """Return the answers with quotes, with one query."""
    return [
        labelled_answer(row).lean for row in _answers(dataset).iterator(BATCH) if row.source.sources
    ]


def _answers(dataset: Dataset) -> QuerySet[Passage]:
    return Passage.objects.filter(dataset=dataset, format="hagrid").order_by("pk")


def state_of(dataset: Dataset) -> str:
    """Return a hash of all passages, with one query."""
    result = hashlib.sha256()
    rows = Passage.objects.filter(dataset=dataset).order_by("pk")
    for content in rows.values_list("content_hash", flat=True).iterator():
        result.update(content.encode())
    return result.hexdigest()


def labelled_answer(row: PassageRow | Passage) -> LabelledAnswer:
    source = row.source
    places = {quote.number: position for position, quote in enumerate(source.sources)}
    group = source.extra.get("split")
    return LabelledAnswer(
        id=row.external_id,
        question=line_key(row.external_id, row.format),
        text=row.text,
        quotes=tuple(quote.text for quote in source.sources),
        cited=_places_of(row.text, places),
        labels=labels_of(source),
        sentences=tuple(
            LabelledSentence(
                text=unit.text, labels=labels_of(unit), cited=_places_of(unit.text, places)
            )
            for unit in source.units
        ),
        group=group if isinstance(group, str) else "",
    )


def labels_of(labelled: PassageSource | Unit) -> dict[str, int | None]:
    return {name: getattr(labelled, name) for name in LABELS}


def _places_of(text: str, places: Mapping[int, int]) -> tuple[int, ...]:
    """Return the positions of the quotes that a text cites."""
    return tuple(dict.fromkeys(places[number] for number in cited(text) if number in places))
