"""A list of rows that people sort, filter, search and page through; the address keeps its state."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.db import connection
from django.db.models import F, Q, QuerySet, TextField
from django.db.models.expressions import Expression
from django.db.models.functions import Cast, Collate
from django.db.models.lookups import IContains
from django.http import QueryDict

from rarrweb.web import paging

Rows = TypeVar("Rows", bound=QuerySet[Any])

COUNTED = 1_000
"""Rows that are counted: beyond it, a page says that there are more."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    """In the address, and in the template that writes the cells."""
    label: str
    _: KW_ONLY
    note: str = ""
    """A second, smaller line of its head."""
    order: Expression | F | None = None
    """What the list sorts by in this column; None where it does not."""
    falls: bool = False
    """Whether the newest comes first at the first click, as the greatest of numbers does."""
    may_be_none: bool = False
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """One choice of several; the first is made until somebody makes another."""

    name: str
    label: str
    choices: Mapping[str, tuple[str, Any]]
    """The value in the address → what the page says, and which rows it keeps (a condition)."""

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
    """The head of a column on the page."""

    column: Column
    query: str
    """Of the address that sorts by it, or the other way round; "" where it cannot."""
    sort: str
    """"ascending" or "descending" where the list is sorted by it; else ""."""


def turn(name: str, sort: str, *, falls: bool) -> tuple[str, str]:
    """How what is sorted by `sort` is sorted by the column `name`, as `Head.sort` says it, and the
    order that the column's head asks for: the other way round, and at first what `falls` says.

    >>> turn("f1", "-f1", falls=True), turn("f1", "name", falls=True), turn("f1", "", falls=False)
    (('descending', 'f1'), ('', '-f1'), ('', 'f1'))
    """
    rising, falling = name, f"-{name}"
    way = {rising: "ascending", falling: "descending"}.get(sort, "")
    return way, falling if way == "ascending" or (falls and not way) else rising


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an address asks of a list."""

    listing: "Listing"
    chosen: Mapping[str, str]
    """Filter → the chosen value."""
    search: str
    sort: str
    """A column's name, with a minus where it falls; "" for the order of the keys."""

    def query(self, **more: object) -> str:
        """The query of an address that asks for this, with `more` in it; "" for the usual list."""
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
        """Those of `rows` that the filters and the search keep."""
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
        """By the search, or a filter that is not at its first choice."""
        return bool(self.search) or any(
            value != self._first(name) for name, value in self.chosen.items()
        )

    @property
    def heads(self) -> list[Head]:
        return [self._head(each) for each in self.listing.columns]

    @property
    def sorts(self) -> list[tuple[str, Column, bool]]:
        """Every order as (value in the address, column, whether the address chooses it)."""
        return [
            (sort, each, sort == self.sort != self.listing.sort)
            for each in self.listing.columns
            if each.order is not None
            for sort in (each.name, f"-{each.name}")
        ]

    @property
    def filters(self) -> list[tuple[Filter, list[tuple[str, str, bool]]]]:
        """Each with its choices: value, label, whether it is made."""
        return [
            (
                each,
                [(v, label, v == self.chosen[each.name]) for v, (label, _) in each.choices.items()],
            )
            for each in self.listing.filters
        ]

    def _first(self, name: str) -> str:
        return next(each.first for each in self.listing.filters if each.name == name)

    def _head(self, column: Column) -> Head:
        if column.order is None:
            return Head(column=column, query="", sort="")
        way, turned = turn(column.name, self.sort, falls=column.falls or column.is_number)
        return Head(column=column, query=replace(self, sort=turned).query() or "?", sort=way)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Asked):
    """A page of a list, as templates/lists/*.html show it."""

    page: paging.KeyPage
    count: int
    """Of the rows in the whole list, up to `COUNTED`."""
    is_more: bool
    """Whether there are more than `count`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a list has; it is described once, and `read` for each request."""

    columns: tuple[Column, ...]
    filters: tuple[Filter, ...] = ()
    search: tuple[str, ...] = ()
    """The fields that are searched."""
    search_label: str = ""
    sort: str = ""
    """The usual order: a column's name, with a minus where it falls; "" for that of the keys."""
    size: int = 50

    def asked(self, query: QueryDict) -> Asked:
        """What an address asks for; what the list does not have is not asked."""
        sort = query.get("sort", "")
        can_sort = {each.name for each in self.columns if each.order is not None}
        return Asked(
            listing=self,
            chosen={
                each.name: value if value in each.choices else each.first
                for each in self.filters
                for value in [query.get(each.name, "")]
            },
            search=paging.search_of(query),
            sort=sort if sort.removeprefix("-") in can_sort else self.sort,
        )

    def read(self, rows: QuerySet[Any], query: QueryDict) -> Listed:
        """The page of `rows`, all that the person may see, that the address asks for."""
        asked = self.asked(query)
        narrowed = asked.narrow(rows)
        page = paging.page_of(
            narrowed,
            among=rows,
            size=self.size,
            query=asked.query,
            order=asked.order,
            after=paging.key_of(query.get("after")),
            before=paging.key_of(query.get("before")),
        )
        is_whole = not (page.previous or page.next or page.is_beyond)
        count = len(page.rows) if is_whole else narrowed.order_by()[: COUNTED + 1].count()
        return Listed(
            listing=self,
            chosen=asked.chosen,
            search=asked.search,
            sort=asked.sort,
            page=page,
            count=min(count, COUNTED),
            is_more=count > COUNTED,
        )


def _contains(name: str, words: str) -> Q:
    """Rows in whose column, or column of another table, the words stand in capitals or not."""
    if connection.vendor == "postgresql" and words.isascii():
        # Which letter beyond ASCII is the capital of which cannot matter, and to look it up takes
        # half of the time of a search through long texts. A number's column is searched, too.
        return Q(IContains(Collate(Cast(name, TextField()), "C"), words))
    return Q(**{f"{name}__icontains": words})
