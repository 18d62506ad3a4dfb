"""The tabs of an object's pages."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    label: str
    url: str
    is_current: bool
    count: int | None = None


def tabs_of(
    pages: Mapping[str, str], key: str | int, *, current: str, counts: Mapping[str, int | None]
) -> list[Tab]:
    return [
        Tab(
            label=label,
            url=reverse(name, args=[key]),
            is_current=name == current,
            count=counts.get(name),
        )
        for name, label in pages.items()
    ]
