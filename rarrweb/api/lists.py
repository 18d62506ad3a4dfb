"""Lists of the API: pages by key, filters and orders from a list of what is allowed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Lower
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from pipeline.pages.paging import SEARCH_LENGTH, Order, key_of
from rarrweb.addresses import absolute

USUAL, MOST = 50, 500
"""Rows on a page."""
SALT = "rarrweb.api.after"
NEWEST_FIRST: Mapping[str, Order] = {"-id": Order(falls=True), "id": Order()}
BY_NAME: Mapping[str, Order] = {
    "name": Order(by=Lower("name")),
    "-name": Order(by=Lower("name"), falls=True),
}


@dataclass(frozen=True, slots=True)
class Filter:
    """A query parameter that keeps the rows whose `lookup` is its value."""

    name: str
    lookup: str
    about: str
    type: str = "string"
    """string, integer or boolean."""
    choices: Iterable[str] = ()
    any_of: tuple[str, ...] = ()
    """Further lookups, of which one will do."""

    def condition(self, given: str) -> Q:
        """Which rows are kept; raises `ValidationError`."""
        value = self._value(given)
        return reduce(or_, (Q(**{name: value}) for name in (self.lookup, *self.any_of)))

    def parameter(self) -> dict[str, Any]:
        """As the schema says it."""
        limits: dict[str, Any] = {"enum": list(self.choices)} if self.choices else {}
        if self.type == "integer":
            limits = {"minimum": 0, "maximum": 2**63 - 1}
        elif self.type == "string" and not self.choices:
            limits = {"maxLength": SEARCH_LENGTH}
        return _parameter(self.name, self.about, {"type": self.type, **limits})

    def _value(self, given: str) -> str | int | bool:
        if self.type == "boolean":
            if given not in {"true", "false"}:
                raise ValidationError({self.name: "Write true or false."})
            return given == "true"
        if self.type == "integer":
            is_number = given.isascii() and given.isdigit() and len(given) < 20
            if not is_number or int(given) >= 2**63:
                raise ValidationError({self.name: "Write a whole number."})
            return int(given)
        if self.choices and given not in self.choices:
            raise ValidationError({self.name: f"Write one of {', '.join(self.choices)}."})
        if len(given) > SEARCH_LENGTH:
            raise ValidationError({self.name: f"Write at most {SEARCH_LENGTH} characters."})
        return given


ARCHIVED = Filter(
    "archived", "archived_at__isnull", "Whether archived rows are listed, in place of the others.",
    "boolean",
)  # fmt: skip


def check_parameters(request: Request, allowed: Iterable[str]) -> None:
    """Refuse a query parameter that is not `allowed`, and one that is written twice."""
    known = sorted(allowed)
    says = f"Allowed here: {', '.join(known)}." if known else "None is allowed here."
    wrong = {
        name: f"There is no parameter {name[:50]!r}. {says}"
        for name in request.query_params
        if name not in known
    }
    twice = {
        name: "Write it once."
        for name, values in request.query_params.lists()
        if name in known and len(values) > 1
    }
    if wrong or twice:
        raise ValidationError(wrong | twice)


class AllowedFilters(BaseFilterBackend):
    """Applies the view's `filters`."""

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: APIView
    ) -> QuerySet[Any]:
        if view.action != "list":  # type: ignore[attr-defined]  # a viewset's
            return queryset
        for each in view.filters:  # type: ignore[attr-defined]  # a Resource's
            given = request.query_params.get(each.name)
            if each is ARCHIVED:
                queryset = queryset.exclude(each.condition(given or "false"))
            elif given is not None:
                queryset = queryset.filter(each.condition(given))
        return queryset

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return [each.parameter() for each in view.filters]


class KeyPages(BasePagination):
    """Pages that start after a row: rows that arrive meanwhile shift nothing.

    `after` is a signed note of the last row's place in the order, so a deleted row ends no list.
    """

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any]:
        orders: Mapping[str, Order] = view.orders  # type: ignore[union-attr]  # a Resource's
        asked = request.query_params
        name = asked.get("order", next(iter(orders)))
        if name not in orders:
            raise ValidationError({"order": f"Write one of {', '.join(orders)}."})
        order, limit = orders[name], _limit(asked.get("limit"))
        rows = queryset.annotate(listed_by=order.by)
        if (after := asked.get("after")) is not None:
            rows = rows.filter(order.past(*_place(after, name, request)))
        found = list(order.sort(rows)[: limit + 1])
        self.next = ""
        if len(found) > limit:
            del found[limit:]
            last = found[-1]
            place = signing.dumps([name, last.listed_by, last.pk], salt=_salt(request))
            query = urlencode({**asked.dict(), "after": place})
            self.next = absolute(f"{request.path}?{query}", request=request._request)
        return found

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.next or None})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        address = {
            "type": "string", "format": "uri", "nullable": True,
            "description": "The next page; null on the last one.",
        }  # fmt: skip
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {"results": schema, "next": address},
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        names = list(view.orders)
        return [
            _parameter("order", "What the list is sorted by; a minus turns it round.",
                       {"type": "string", "enum": names, "default": names[0]}),
            _parameter("after", "From the address of the page before.", {"type": "string"}),
            _parameter("limit", "Rows on the page.",
                       {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL}),
        ]  # fmt: skip


PAGE_PARAMETERS = ("order", "after", "limit")


def _parameter(name: str, about: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "description": about, "schema": schema}


def _limit(given: str | None) -> int:
    if given is None:
        return USUAL
    limit = key_of(given)
    if limit is None or not 1 <= limit <= MOST:
        raise ValidationError({"limit": f"Write a whole number from 1 to {MOST}."})
    return limit


def _salt(request: Request) -> str:
    """A place is of one list: from another it would let somebody begin anywhere in this one."""
    return f"{SALT}:{request.path}"


def _place(after: str, name: str, request: Request) -> tuple[Any, int]:
    """The value and the key of the last row of the page before."""
    try:
        order, value, key = signing.loads(after, salt=_salt(request))
    except signing.BadSignature:
        order = None
    if order != name:
        raise ValidationError(
            {"after": "It is not from this list in this order: begin with the first page."}
        )
    return value, key


def figures(*names: str) -> Mapping[str, Order]:
    """The orders by columns that may be empty; empty ones come last."""
    return {
        f"{sign}{name}": Order(by=F(name), falls=bool(sign), may_be_none=True)
        for name in names
        for sign in ("", "-")
    }
