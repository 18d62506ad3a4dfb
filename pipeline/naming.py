"""Rows that people name and find again: each has a slug of its own, which is in its address."""

from collections.abc import Collection
from itertools import chain, count
from typing import Any, TypeVar

from django.db import IntegrityError, models, transaction
from django.utils.text import slugify

Row = TypeVar("Row", bound=models.Model)


def create_named(
    model: type[Row],
    *,
    name: str,
    fallback: str,
    reserved: Collection[str] = ("new",),
    **values: Any,
) -> Row:
    """A row called `name`, under a slug that no other row has and no page's address is.

    A name in a script without Latin letters gives `fallback` as its slug.
    """
    rows = model._default_manager
    stem = slugify(name)[:80] or fallback
    while True:
        taken = set(rows.filter(slug__startswith=stem).values_list("slug", flat=True))
        numbered = chain([stem], (f"{stem}-{number}" for number in count(2)))
        slug = next(each for each in numbered if each not in taken and each not in reserved)
        try:
            with transaction.atomic():
                return rows.create(slug=slug, name=name, **values)
        except IntegrityError:
            # Somebody took the slug at this moment; what else is wrong stays wrong.
            if not rows.filter(slug=slug).exists():
                raise


def find_named(model: type[Row], name: str) -> Row | None:
    """The row of that slug or, failing it, the first of exactly that name."""
    rows = model._default_manager
    return rows.filter(slug=name).first() or rows.filter(name=name).order_by("pk").first()
