"""Figures of other rows beside each row of a query."""

from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce


def count_of(rows: QuerySet[Any], column: str) -> Coalesce:
    """How many of `rows` an outer row has; `column` is theirs that names it."""
    own = rows.filter(**{column: OuterRef("pk")}).order_by().values(column)
    return Coalesce(Subquery(own.annotate(n=Count("pk")).values("n")), 0)
