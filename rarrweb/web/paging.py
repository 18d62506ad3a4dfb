"""Keyset pagination: new rows do not shift pages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.expressions import Expression, OrderBy

SEARCH_LENGTH = 200
KEY = F("pk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Sort by an expression and then by key, in one direction; None is always last."""

    by: Expression | F = KEY
    falls: bool = False
    may_be_none: bool = False

    def sort(self, rows: QuerySet[Any], *, backwards: bool = False) -> QuerySet[Any]:
        falls = self.falls != backwards
        order = OrderBy(
            self.by,
            descending=falls,
            nulls_first=True if self.may_be_none and backwards else None,
            nulls_last=True if self.may_be_none and not backwards else None,
        )
        return rows.order_by(order, "-pk" if falls else "pk")

    def around(self, rows: QuerySet[Any], key: int) -> tuple[Q, Q] | None:
        """Return conditions on rows, annotated with `listed_by`, before and after a key.

        None if `rows` lacks the key.
        """
        value: Any = key
        if self.by != KEY:
            values = list(rows.filter(pk=key).values_list("listed_by")[:1])
            if not values:
                return None
            value = values[0][0]
        return self.past(value, key, backwards=True), self.past(value, key)

    def past(self, value: Any, key: int, *, backwards: bool = False) -> Q:
        past = "lt" if self.falls != backwards else "gt"
        if value is None:
            same = Q(listed_by=None, **{f"pk__{past}": key})
            return same | Q(listed_by__isnull=False) if backwards else same
        # The plain bound lets the database use an index.
        further = Q(**{f"listed_by__{past}e": value}) & (
            Q(**{f"listed_by__{past}": value}) | Q(**{f"pk__{past}": key})
        )
        return further | Q(listed_by=None) if self.may_be_none and not backwards else further


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPage:
    rows: list[Any]
    previous: str
    """URL query of the previous page; "" on the first."""
    next: str
    is_beyond: bool
    """A key was given, but no rows follow it."""


def page_of(
    rows: QuerySet[Any],
    *,
    among: QuerySet[Any],
    size: int,
    query: Callable[..., str],
    order: Order,
    after: int | None,
    before: int | None,
) -> KeyPage:
    """Return up to `size` of `rows` after or before a row of `among`, a superset.

    `query(after=…)` writes URL queries.
    """
    rows, among = rows.annotate(listed_by=order.by), among.annotate(listed_by=order.by)
    key, backwards = (after, False) if before is None else (before, True)
    around = (Q(), Q()) if key is None else order.around(among, key)
    page: list[Any] = []
    if around is not None:
        beyond = around[0] if backwards else around[1]
        # Keys first, perhaps from an index alone.
        keys = order.sort(rows.filter(beyond), backwards=backwards).values("pk")[: size + 1]
        page = list(order.sort(among.filter(pk__in=keys), backwards=backwards))
    is_more, page = len(page) > size, page[:size]
    if backwards:
        page.reverse()
    has_previous, has_next = (is_more, True) if backwards else (key is not None, is_more)
    return KeyPage(
        rows=page,
        previous=query(before=page[0].pk) if page and has_previous else "",
        next=query(after=page[-1].pk) if page and has_next else "",
        is_beyond=not page and key is not None,
    )


def key_of(given: str | None) -> int | None:
    """Parse a row's key from a URL; None if it is not one."""
    # 19 digits could overflow a 64-bit key in the database.
    return int(given) if given and given.isascii() and given.isdigit() and len(given) < 19 else None


def search_of(query: Mapping[str, str]) -> str:
    return query.get("q", "").strip()[:SEARCH_LENGTH]
