"""What the pages with long lists share: who may look, and pages of rows by key."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db import models
from django.http import Http404

from pipeline import workers
from rarrweb.http import UserRequest

SEARCH_LENGTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPage:
    """Rows beyond a key; rows that arrive meanwhile never shift a page."""

    rows: list[Any]
    previous: str
    """The address's query of the page before, "" on the first."""
    next: str
    is_beyond: bool
    """Nothing here though a key was given: the list ends elsewhere."""


def page_of(
    rows: models.QuerySet, query: Mapping[str, str], *, size: int, search: str = ""
) -> KeyPage:
    """`size` rows in the order of their keys, after or before the key that `query` names."""
    after, before = key_of(query.get("after")), key_of(query.get("before"))
    if before is not None:
        found = list(rows.filter(pk__lt=before).order_by("-pk")[: size + 1])
    else:
        found = list(rows.filter(pk__gt=after or 0).order_by("pk")[: size + 1])
    is_more, found = len(found) > size, found[:size]
    if before is not None:
        found.reverse()
    has_previous, has_next = (is_more, True) if before is not None else (bool(after), is_more)
    kept = {"q": search} if search else {}
    return KeyPage(
        rows=found,
        previous=_query(kept, before=found[0].pk) if found and has_previous else "",
        next=_query(kept, after=found[-1].pk) if found and has_next else "",
        is_beyond=not found and (after is not None or before is not None),
    )


def key_of(given: str | None) -> int | None:
    """A row's key from an address; anything else is no key."""
    # More digits than a 64-bit key has would overflow in the database.
    return int(given) if given and given.isascii() and given.isdigit() and len(given) < 19 else None


def search_of(query: Mapping[str, str]) -> str:
    """What a person searches for. PostgreSQL refuses a NUL, and nobody searches for one."""
    return query.get("q", "").replace("\0", "").strip()[:SEARCH_LENGTH]


def researchers_only(request: UserRequest) -> None:
    """Raise `Http404` for a person who has no business with the lab's data."""
    if not request.user.is_researcher:
        raise Http404


def worker_state() -> dict[str, Any]:
    """What `_no_worker.html` needs."""
    return {"worker_alive": workers.any_alive(), "worker_command": workers.START_COMMAND}


def _query(kept: Mapping[str, str], **more: object) -> str:
    return "?" + urlencode({**kept, **more})
