"""Rows with a name and a unique slug."""

from collections.abc import Collection
from itertools import chain, count
from typing import Any, TypeVar

from django.db import IntegrityError, models, transaction
from django.utils.text import slugify

from pipeline.rarr.errors import RarrError

Row = TypeVar("Row", bound=models.Model)


class NameTaken(RarrError):
    """Another row has this unique name."""

    def __init__(self, model: type[models.Model], name: str) -> None:
        noun = model._meta.verbose_name
        super().__init__(
            f"There is a {noun} called {name} by now: add to that one, or choose another name."
        )


def create_named(
    model: type[Row],
    *,
    name: str,
    reserved: Collection[str] = ("new",),
    is_unique: bool = False,
    **values: Any,
) -> Row:
    """Create a row called `name`, with a slug that no row and no page has.

    With `is_unique`, a repeated name raises `NameTaken`, even at the same moment.
    """
    rows = model._default_manager
    stem = slugify(name)[:80] or str(model._meta.verbose_name)
    while True:
        taken = set(rows.filter(slug__startswith=stem).values_list("slug", flat=True))
        numbered = chain([stem], (f"{stem}-{number}" for number in count(2)))
        slug = next(each for each in numbered if each not in taken and each not in reserved)
        # In this order: of two requests with one name, the database refuses one's slug.
        if is_unique and rows.filter(name=name).exists():
            raise NameTaken(model, name)
        try:
            with transaction.atomic():
                return rows.create(slug=slug, name=name, **values)
        except IntegrityError:
            # Another request took the slug.
            if not rows.filter(slug=slug).exists():
                raise


def find_named(model: type[Row], name: str) -> Row | None:
    """Find a row by slug, or else by exact name."""
    rows = model._default_manager
    return rows.filter(slug=name).first() or rows.filter(name=name).order_by("pk").first()
