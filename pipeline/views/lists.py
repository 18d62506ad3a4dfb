"""What the researchers' pages share: who may look, paging by key, whether a worker is alive."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import Http404

from pipeline.pages import paging
from pipeline.pages.paging import KeyPage, keys_of
from pipeline.workers import registry
from rarrweb.http import UserRequest


def page_of(
    rows: QuerySet[Any], query: Mapping[str, str], *, size: int, search: str = ""
) -> KeyPage:
    """`size` rows, ordered by key, after or before the key in `query`."""
    kept = {"q": search} if search else {}
    return paging.page_of(
        rows,
        size=size,
        query=lambda **more: "?" + urlencode({**kept, **more}),
        **keys_of(query),
    )


def researchers_only(request: UserRequest) -> None:
    """Raise `Http404` unless the person is a researcher."""
    if not request.user.is_researcher:
        raise Http404


def worker_state() -> dict[str, Any]:
    """What `_no_worker.html` needs."""
    return {"worker_alive": registry.any_alive(), "worker_command": registry.START_COMMAND}
