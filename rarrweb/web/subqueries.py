"""Subqueries that annotate rows."""

from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce


def count_of(rows: QuerySet[Any], column: str) -> Coalesce:
    """Count the `rows` whose `column` is the key of the outer row."""
    matching = rows.filter(**{column: OuterRef("pk")}).order_by().values(column)
    return Coalesce(Subquery(matching.annotate(n=Count("pk")).values("n")), 0)
