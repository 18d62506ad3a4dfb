"""Lists of rows that users sort, filter, search and page through; the state is in the URL."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.db import connection
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.expressions import Expression
from django.db.models.functions import Cast, Coalesce, Collate
from django.db.models.lookups import IContains
from django.http import QueryDict

from rarrweb.web import paging


def count_of(rows: QuerySet[Any], column: str) -> Coalesce:
    """Count the `rows` whose `column` is the key of the outer row."""
    matching = rows.filter(**{column: OuterRef("pk")}).order_by().values(column)
    return Coalesce(Subquery(matching.annotate(n=Count("pk")).values("n")), 0)


Rows = TypeVar("Rows", bound=QuerySet[Any])

COUNTED = 1_000
"""Rows that are counted at most."""
FEW = 10
"""Rows that need no search and no filters."""


@dataclass(frozen=True, slots=True)
class ListColumn:
    name: str
    """In the URL and in the template of the cells."""
    label: str
    _: KW_ONLY
    note: str = ""
    """A second, smaller line of its head."""
    order: Expression | F | None = None
    """The sort key; None if the column cannot be sorted by."""
    falls: bool = False
    """Sort in descending order at the first click, as for numbers."""
    may_be_none: bool = False
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    name: str
    label: str
    choices: Mapping[str, tuple[str, Any]]
    """Value in the URL → label, and condition on the rows."""

    @property
    def first(self) -> str:
        return next(iter(self.choices))


ARCHIVED = Filter(
    "archived",
    "Show",
    {
        "": ("Not archived", Q(archived_at=None)),
        "yes": ("Archived", Q(archived_at__isnull=False)),
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    column: ListColumn
    query: str
    """URL query that sorts by it or reverses the order; "" if it cannot be sorted by."""
    sort: str
    """"ascending" or "descending" if the list is sorted by it; else ""."""


def sort_state(name: str, sort: str, *, falls: bool) -> tuple[str, str]:
    """Return the `Head.sort` of column `name` in a list sorted by `sort`, and its next order.

    >>> sort_state("f1", "-f1", falls=True), sort_state("f1", "name", falls=True)
    (('descending', 'f1'), ('', '-f1'))
    """
    rising, falling = name, f"-{name}"
    way = {rising: "ascending", falling: "descending"}.get(sort, "")
    return way, falling if way == "ascending" or (falls and not way) else rising


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    listing: "Listing"
    chosen: Mapping[str, str]
    """Filter → value."""
    search: str
    sort: str
    """A column's name, with a minus if descending; "" for the order of the keys."""

    def query(self, **more: object) -> str:
        """Return the URL query of this state and `more`; "" for the default state."""
        values: dict[str, object] = {
            name: value for name, value in self.chosen.items() if value != self._first(name)
        }
        if self.search:
            values["q"] = self.search
        if self.sort != self.listing.sort:
            values["sort"] = self.sort
        values |= more
        return f"?{urlencode(values)}" if values else ""

    def narrow(self, rows: Rows) -> Rows:
        for each in self.listing.filters:
            rows = rows.filter(each.choices[self.chosen[each.name]][1])
        if self.search and self.listing.search:
            wanted = (_contains(name, self.search) for name in self.listing.search)
            rows = rows.filter(reduce(or_, wanted))
        return rows

    @property
    def order(self) -> paging.Order:
        for each in self.listing.columns:
            if each.order is not None and each.name == self.sort.lstrip("-"):
                falls = self.sort.startswith("-")
                return paging.Order(by=each.order, falls=falls, may_be_none=each.may_be_none)
        return paging.Order()

    @property
    def is_narrowed(self) -> bool:
        return bool(self.search) or any(
            value != self._first(name)
            for name, value in self.chosen.items()
            if name != ARCHIVED.name
        )

    @property
    def heads(self) -> list[Head]:
        return [self._head(each) for each in self.listing.columns]

    @property
    def sorts(self) -> list[tuple[str, ListColumn, bool]]:
        """Each order as (value in the URL, column, is chosen)."""
        return [
            (sort, each, sort == self.sort != self.listing.sort)
            for each in self.listing.columns
            if each.order is not None
            for sort in (each.name, f"-{each.name}")
        ]

    @property
    def filters(self) -> list[tuple[Filter, list[tuple[str, str, bool]]]]:
        """Each filter with its choices as (value, label, is chosen)."""
        return [
            (
                each,
                [(v, label, v == self.chosen[each.name]) for v, (label, _) in each.choices.items()],
            )
            for each in self.listing.filters
        ]

    def _first(self, name: str) -> str:
        return next(each.first for each in self.listing.filters if each.name == name)

    def _head(self, column: ListColumn) -> Head:
        if column.order is None:
            return Head(column=column, query="", sort="")
        way, next_sort = sort_state(column.name, self.sort, falls=column.falls or column.is_number)
        return Head(column=column, query=replace(self, sort=next_sort).query() or "?", sort=way)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage(ListQuery):
    page: paging.KeyPage
    count: int
    """Rows in the whole list, up to `COUNTED`."""
    is_more: bool
    """There are more rows than `count`."""
    has_archived: bool
    """Some rows are left out because they are archived."""

    @property
    def has_bar(self) -> bool:
        """Whether the page offers search and filters."""
        return self.count > FEW or self.is_narrowed

    @property
    def can_select(self) -> bool:
        return len(self.page.rows) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    columns: tuple[ListColumn, ...]
    filters: tuple[Filter, ...] = ()
    search: tuple[str, ...] = ()
    """Searched fields."""
    search_label: str = ""
    sort: str = ""
    """The default `ListQuery.sort`."""
    size: int = 50

    def parse(self, query: QueryDict) -> ListQuery:
        """Read the state from a URL's query; unknown values become the defaults."""
        sort = query.get("sort", "")
        can_sort = {each.name for each in self.columns if each.order is not None}
        return ListQuery(
            listing=self,
            chosen={
                each.name: value if value in each.choices else each.first
                for each in self.filters
                for value in [query.get(each.name, "")]
            },
            search=paging.search_of(query),
            sort=sort if sort.removeprefix("-") in can_sort else self.sort,
        )

    def read(self, rows: QuerySet[Any], query: QueryDict) -> ListPage:
        """Return the page of `rows`, all that the user may see, for a URL's query."""
        parsed = self.parse(query)
        narrowed = parsed.narrow(rows)
        page = paging.page_of(
            narrowed,
            among=rows,
            size=self.size,
            query=parsed.query,
            order=parsed.order,
            after=paging.key_of(query.get("after")),
            before=paging.key_of(query.get("before")),
        )
        is_whole = not (page.previous or page.next or page.is_beyond)
        count = len(page.rows) if is_whole else narrowed.order_by()[: COUNTED + 1].count()
        hides_archived = parsed.chosen.get(ARCHIVED.name) == ARCHIVED.first
        return ListPage(
            listing=self,
            chosen=parsed.chosen,
            search=parsed.search,
            sort=parsed.sort,
            page=page,
            count=min(count, COUNTED),
            is_more=count > COUNTED,
            has_archived=hides_archived and rows.exclude(archived_at=None).exists(),
        )


def _contains(name: str, words: str) -> Q:
    if connection.vendor == "postgresql" and words.isascii():
        # ASCII folding halves the time of a search. `Cast` is for numbers.
        return Q(IContains(Collate(Cast(name, TextField()), "C"), words))
    return Q(**{f"{name}__icontains": words})
