"""A list of rows that people sort, filter, search and page through; the address keeps its state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.db.models import F, Q, QuerySet
from django.db.models.expressions import Expression
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from pipeline.pages import paging

Rows = TypeVar("Rows", bound=QuerySet[Any])

COUNTED = 1_000
"""Rows that are counted: beyond it, a page says that there are more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    name: str
    """In the address, and in the template that writes the cells."""
    label: str | Promise
    note: str = ""
    """A second, smaller line of its head."""
    order: Expression | F | None = None
    """What the list sorts by in this column; None where it does not."""
    falls: bool = False
    """Whether the greatest, or newest, comes first at the first click."""
    may_be_none: bool = False
    is_number: bool = False
    is_shown: bool = True
    """Until somebody chooses other columns; the first column always stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One choice of several; the first is made until somebody makes another."""

    name: str
    label: str | Promise
    choices: Mapping[str, tuple[str | Promise, Any]]
    """The value in the address → what the page says, and which rows it keeps (a condition)."""


ARCHIVED = Filter(
    name="archived",
    label=gettext_lazy("Show"),
    choices={
        "": (gettext_lazy("Not archived"), Q(archived_at=None)),
        "yes": (gettext_lazy("Archived"), Q(archived_at__isnull=False)),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A page of a list, as templates/lists/*.html show it."""

    listing: "Listing"
    page: paging.KeyPage
    count: int
    """Of the rows in the whole list, up to `COUNTED`."""
    is_more: bool
    """Whether there are more than `count`."""
    search: str
    sort: str
    """As the address has it; "" for the usual order."""
    chosen: Mapping[str, str]
    """Filter → the chosen value."""
    is_narrowed: bool
    """By the search, or a filter that is not at its first choice."""
    shown: tuple[str, ...]
    """The names of the columns that stand."""
    heads: tuple[Head, ...] = field(default=())

    @property
    def sorts(self) -> list[tuple[str, Column, bool]]:
        """Every order as (value in the address, column, whether the list has it)."""
        return [
            (sort, each, sort == self.sort)
            for each in self.listing.columns
            if each.order is not None
            for sort in (each.name, f"-{each.name}")
        ]

    @property
    def filters(self) -> list[tuple[Filter, list[tuple[str, str | Promise, bool]]]]:
        """Each with its choices: value, label, whether it is made."""
        return [
            (
                each,
                [(v, label, v == self.chosen[each.name]) for v, (label, _) in each.choices.items()],
            )
            for each in self.listing.filters
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a list has; it is described once, and `read` for each request."""

    columns: tuple[Column, ...]
    filters: tuple[Filter, ...] = ()
    search: tuple[str, ...] = ()
    """The fields that are searched."""
    search_label: str | Promise = ""
    sort: str = ""
    """The usual order: a column's name, with a minus where it falls; "" for that of the keys."""
    size: int = 50

    def read(self, rows: QuerySet[Any], query: QueryDict) -> Listed:
        """The page of `rows`, all that the person may see, that the address asks for."""
        chosen = {each.name: _among(query.get(each.name), each.choices) for each in self.filters}
        sort, search = self.sort_of(query), paging.search_of(query)
        columns = self.columns_of(query)
        shown = columns or tuple(each.name for each in self.columns if each.is_shown)
        usual_choice = {each.name: next(iter(each.choices)) for each in self.filters}
        state: dict[str, Any] = {
            name: value for name, value in chosen.items() if value != usual_choice[name]
        }
        state |= {"q": search} if search else {}
        state |= {"col": columns} if columns else {}

        def written(**more: Any) -> str:
            sorted_by = more.pop("sort", sort)
            kept = state | ({} if sorted_by == self.sort else {"sort": sorted_by}) | more
            return f"?{urlencode(kept, doseq=True)}"

        narrowed = self.narrow(rows, chosen, search)
        page = paging.page_of(
            narrowed,
            among=rows,
            size=self.size,
            query=written,
            order=self.order_of(sort),
            **paging.keys_of(query),
        )
        count = narrowed.order_by()[: COUNTED + 1].count()
        return Listed(
            listing=self,
            page=page,
            count=min(count, COUNTED),
            is_more=count > COUNTED,
            search=search,
            sort="" if sort == self.sort else sort,
            chosen=chosen,
            is_narrowed=bool(search or any(name in state for name in chosen)),
            shown=shown,
            heads=tuple(
                Head(column=each, query=written(sort=turned) if turned else "", sort=way)
                for each in self.columns
                if each.name in shown
                for turned, way in [_turned(each, sort)]
            ),
        )

    def narrow(self, rows: Rows, chosen: Mapping[str, str], search: str) -> Rows:
        """Those of `rows` that the filters and the search keep."""
        for each in self.filters:
            rows = rows.filter(each.choices[chosen[each.name]][1])
        if search and self.search:
            wanted = (Q(**{f"{name}__icontains": search}) for name in self.search)
            rows = rows.filter(reduce(or_, wanted))
        return rows

    def order_of(self, sort: str) -> paging.Order:
        found = next((each for each in self.columns if each.name == sort.lstrip("-")), None)
        if found is None or found.order is None:
            return paging.Order()
        return paging.Order(
            by=found.order, falls=sort.startswith("-"), may_be_none=found.may_be_none
        )

    def columns_of(self, query: QueryDict) -> tuple[str, ...]:
        """The names of the columns that an address chooses; () for the usual ones."""
        asked = {self.columns[0].name, *query.getlist("col")}
        chosen = tuple(each.name for each in self.columns if each.name in asked)
        usual = tuple(each.name for each in self.columns if each.is_shown)
        return () if len(chosen) < 2 or chosen == usual else chosen

    def sort_of(self, query: Mapping[str, str]) -> str:
        """The column that an address sorts by, with a minus where it falls."""
        asked = query.get("sort", "")
        can = {each.name for each in self.columns if each.order is not None}
        return asked if asked.removeprefix("-") in can else self.sort


def _among(value: str | None, choices: Mapping[str, Any]) -> str:
    return value if value is not None and value in choices else next(iter(choices))


def _turned(column: Column, sort: str) -> tuple[str, str]:
    """The sort that a click on the column's head asks for, and how it is sorted now."""
    if column.order is None:
        return "", ""
    if sort == column.name:
        return f"-{column.name}", "ascending"
    if sort == f"-{column.name}":
        return column.name, "descending"
    return f"-{column.name}" if column.falls else column.name, ""
