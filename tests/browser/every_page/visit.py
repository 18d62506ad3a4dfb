"""One page of the walk."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.test import Client
from django.urls import reverse

from rarrweb.accounts.models import User


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A user and a page; `what` distinguishes pages with one URL name."""

    name: str
    path: str
    who: User | Client | None = None
    """A person, or a browser that has come in by itself; None is nobody."""
    what: str = ""
    status: int = 200
    fills: Mapping[str, str] = field(default_factory=dict)
    """What is written before anybody looks, by the fields' names or ids."""
    clicks: tuple[str, ...] = ()
    """What is pressed then: opens a dialog, sends a form."""
    leads_on: bool = False
    """Whether what is pressed loads a page."""

    def __str__(self) -> str:
        return f"{self.name} {self.what}".strip()


def visit(
    name: str, *args: object, at: str = "", query: str = "", sends: str = "", **values: Any
) -> Visit:
    """Visit a URL name, or the page `at` with its form, sent by the button `sends`."""
    if sends:
        values |= {"clicks": (sends,), "leads_on": True}
    return Visit(name=name, path=f"{reverse(at or name, args=args)}{query}", **values)
