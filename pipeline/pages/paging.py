"""Long lists in pages by key: rows that arrive meanwhile never shift a page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

SEARCH_LENGTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPage:
    """Rows beyond a key, in the order of their keys."""

    rows: list[Any]
    previous: str
    """The address's query of the page before, "" on the first."""
    next: str
    is_beyond: bool
    """Nothing here though a key was given: the list ends elsewhere."""


def page_of(
    rows: QuerySet[Any],
    *,
    size: int,
    query: Callable[..., str],
    after: int | None = None,
    before: int | None = None,
) -> KeyPage:
    """Up to `size` rows after or before a key; `query(after=…)` writes an address's query."""
    if before is not None:
        found = list(rows.filter(pk__lt=before).order_by("-pk")[: size + 1])
    else:
        found = list(rows.filter(pk__gt=after or 0).order_by("pk")[: size + 1])
    is_more, found = len(found) > size, found[:size]
    if before is not None:
        found.reverse()
    has_previous, has_next = (is_more, True) if before is not None else (bool(after), is_more)
    return KeyPage(
        rows=found,
        previous=query(before=found[0].pk) if found and has_previous else "",
        next=query(after=found[-1].pk) if found and has_next else "",
        is_beyond=not found and (after is not None or before is not None),
    )


def key_of(given: str | None) -> int | None:
    """A row's key from an address; anything else is no key."""
    # More digits than a 64-bit key has would overflow in the database.
    return int(given) if given and given.isascii() and given.isdigit() and len(given) < 19 else None


def keys_of(query: Mapping[str, str]) -> dict[str, int | None]:
    """The key that an address's page comes `after` or `before`."""
    return {name: key_of(query.get(name)) for name in ("after", "before")}


def search_of(query: Mapping[str, str]) -> str:
    """What a person searches for."""
    return query.get("q", "").strip()[:SEARCH_LENGTH]
