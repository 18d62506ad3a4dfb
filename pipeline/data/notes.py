"""Notes and tags on passages."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.models import Dataset, Passage, PassageNote, PassageTag
from rarrweb.accounts.models import User
from rarrweb.web.listing import count_of

MOST_TAGS = 20
"""Of one passage."""
TAG_LENGTH = 50
NOTE_LENGTH = 10_000


class BadTags(ValueError):
    """Tags that cannot be added, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedPassages:
    """Keys of a dataset's passages with notes, and by tag."""

    noted: frozenset[int]
    tagged: Mapping[str, frozenset[int]]


def read_tags(text: str) -> list[str]:
    """Split a text at commas into distinct tags in lower case, without a leading #.

    >>> read_tags("Wrong date,  #dates , wrong  DATE,,")
    ['wrong date', 'dates']
    """
    words = unicodedata.normalize("NFKC", text).casefold().split(",")
    tags = (" ".join(word.split()).lstrip("# ") for word in words)
    return list(dict.fromkeys(filter(None, tags)))


def add_tags(passage: Passage, text: str, *, by: User) -> None:
    """Add the new tags of `text`. Raises `BadTags`."""
    tags = read_tags(text)
    if not tags:
        raise BadTags("Write a tag, or several with commas between them.")
    if long := [tag for tag in tags if len(tag) > TAG_LENGTH]:
        raise BadTags(f"“{long[0][:20]}…” is too long: a tag has at most {TAG_LENGTH} characters.")
    known = set(passage.tags.values_list("name", flat=True))
    if len(known | set(tags)) > MOST_TAGS:
        raise BadTags(f"A passage has at most {MOST_TAGS} tags.")
    PassageTag.objects.bulk_create(
        [PassageTag(passage=passage, name=tag, added_by=by) for tag in tags],
        ignore_conflicts=True,
    )


def noted_passages(dataset: Dataset) -> NotedPassages:
    """Two queries."""
    notes = PassageNote.objects.filter(passage__dataset=dataset).order_by()
    tags = PassageTag.objects.filter(passage__dataset=dataset).order_by("name")
    tagged: dict[str, set[int]] = {}
    for name, passage in tags.values_list("name", "passage_id"):
        tagged.setdefault(name, set()).add(passage)
    return NotedPassages(
        noted=frozenset(notes.values_list("passage_id", flat=True).distinct()),
        tagged={name: frozenset(passages) for name, passages in tagged.items()},
    )


def count_notes(dataset: Dataset) -> int:
    """Count notes and tags, with one query."""
    counted = Dataset.objects.filter(pk=dataset.pk).annotate(
        notes=count_of(PassageNote.objects.all(), "passage__dataset"),
        tags=count_of(PassageTag.objects.all(), "passage__dataset"),
    )
    return sum(counted.values_list("notes", "tags").get())
