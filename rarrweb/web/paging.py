"""Long lists in pages by key, where rows that arrive meanwhile never shift a page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.expressions import Expression, OrderBy

SEARCH_LENGTH = 200
KEY = F("pk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a list is sorted by; rows that are equal in it, by their key in the same direction.

    None comes last in both directions.
    """

    by: Expression | F = KEY
    falls: bool = False
    may_be_none: bool = False

    def sort(self, rows: QuerySet[Any], *, backwards: bool = False) -> QuerySet[Any]:
        """The rows in this order."""
        falls = self.falls != backwards
        order = OrderBy(
            self.by,
            descending=falls,
            nulls_first=True if self.may_be_none and backwards else None,
            nulls_last=True if self.may_be_none and not backwards else None,
        )
        return rows.order_by(order, "-pk" if falls else "pk")

    def around(self, rows: QuerySet[Any], key: int) -> tuple[Q, Q] | None:
        """What comes before the row of that key and what after it, for rows that are annotated
        with `listed_by`; None if `rows` has no such row."""
        value: Any = key
        if self.by != KEY:
            found = list(rows.filter(pk=key).values_list("listed_by")[:1])
            if not found:
                return None
            value = found[0][0]
        return self.past(value, key, backwards=True), self.past(value, key)

    def past(self, value: Any, key: int, *, backwards: bool = False) -> Q:
        """What comes after the row with that value and key, or before it."""
        past = "lt" if self.falls != backwards else "gt"
        if value is None:
            same = Q(listed_by=None, **{f"pk__{past}": key})
            return same | Q(listed_by__isnull=False) if backwards else same
        # Begins with a plain bound, which an index finds.
        further = Q(**{f"listed_by__{past}e": value}) & (
            Q(**{f"listed_by__{past}": value}) | Q(**{f"pk__{past}": key})
        )
        return further | Q(listed_by=None) if self.may_be_none and not backwards else further


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPage:
    """Rows beyond a key, in their order."""

    rows: list[Any]
    previous: str
    """The address's query of the page before, "" on the first."""
    next: str
    is_beyond: bool
    """Nothing here though a key was given: the list ends elsewhere."""


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
    """Up to `size` of `rows` after or before a row; `query(after=…)` writes an address's query.

    That row is one `among` many: it may have left `rows` since the page before was made.
    """
    rows, among = rows.annotate(listed_by=order.by), among.annotate(listed_by=order.by)
    key, backwards = (after, False) if before is None else (before, True)
    around = (Q(), Q()) if key is None else order.around(among, key)
    found: list[Any] = []
    if around is not None:
        beyond = around[0] if backwards else around[1]
        # The keys first, which an index may hold; then the columns of these few rows.
        keys = order.sort(rows.filter(beyond), backwards=backwards).values("pk")[: size + 1]
        found = list(order.sort(among.filter(pk__in=keys), backwards=backwards))
    is_more, found = len(found) > size, found[:size]
    if backwards:
        found.reverse()
    has_previous, has_next = (is_more, True) if backwards else (key is not None, is_more)
    return KeyPage(
        rows=found,
        previous=query(before=found[0].pk) if found and has_previous else "",
        next=query(after=found[-1].pk) if found and has_next else "",
        is_beyond=not found and key is not None,
    )


def key_of(given: str | None) -> int | None:
    """A row's key from an address; anything else is no key."""
    # More digits than a 64-bit key has would overflow in the database.
    return int(given) if given and given.isascii() and given.isdigit() and len(given) < 19 else None


def search_of(query: Mapping[str, str]) -> str:
    """What a person searches for."""
    return query.get("q", "").strip()[:SEARCH_LENGTH]
