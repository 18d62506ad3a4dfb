"""What the researchers' pages share: who may look, pages by key, whether a worker is alive."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import Http404

from pipeline import paging, workers
from pipeline.paging import KeyPage, key_of
from rarrweb.http import UserRequest


def page_of(rows: QuerySet, query: Mapping[str, str], *, size: int, search: str = "") -> KeyPage:
    """`size` rows in the order of their keys, after or before the key that `query` names."""
    kept = {"q": search} if search else {}
    return paging.page_of(
        rows,
        size=size,
        query=lambda **more: "?" + urlencode({**kept, **more}),
        after=key_of(query.get("after")),
        before=key_of(query.get("before")),
    )


def researchers_only(request: UserRequest) -> None:
    """Raise `Http404` for a person who has no business with the lab's data."""
    if not request.user.is_researcher:
        raise Http404


def worker_state() -> dict[str, Any]:
    """What `_no_worker.html` needs."""
    return {"worker_alive": workers.any_alive(), "worker_command": workers.START_COMMAND}
