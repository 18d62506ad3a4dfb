"""Every page answers, is visited, and has few queries and bytes."""

import gzip
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from rarrweb.accounts.models import User
from tests.browser.every_page import API, NO_PAGES, Visit, visits
from tests.support.addresses import ADDRESSES
from tests.support.factories import make_user
from tests.support.queries import captured_queries

MOST_QUERIES = 12
MOST_BYTES = 100_000
"""Of the page and all that it loads but fonts, as it travels."""
STARTS_A_CAMPAIGN = {"annotation:preview"}
"""A preview starts the campaign and takes it back: what a start writes is no page's cost."""


@pytest.mark.django_db(transaction=True)
def test_every_page_answers_and_none_costs_too_much() -> None:
    every = [(visit, *cost(visit)) for visit in visits()]
    assert [(str(visit), status) for visit, status, *_ in every if status != visit.status] == []
    paid_for = [(visit, *paid) for visit, _, _, *paid in every if not visit.clicks]
    assert len(paid_for) > 100
    dear = [
        f"{visit} ({visit.path}): {queries} queries, {size:,} bytes"
        for visit, queries, size in paid_for
        if (queries > MOST_QUERIES and visit.name not in STARTS_A_CAMPAIGN) or size > MOST_BYTES
    ]
    assert not dear, "\n".join(dear)
    assert [str(visit) for visit, _, lacks, *_ in every if lacks and not visit.clicks] == []
    assert forgotten({visit.name for visit, *_ in every} - {"error"}) == set()


def forgotten(visited: set[str]) -> set[str]:
    """Return URL names that answer a GET but are neither visited nor excluded."""
    ours = {name: path for name, path in ADDRESSES if not name.startswith(API)}
    assert visited <= ours.keys(), "a visit to an address that is not there"
    assert ours.keys() >= NO_PAGES
    assert not NO_PAGES & visited
    client = Client()
    client.force_login(make_user("all-seeing", role=User.Role.ADMINISTRATOR))
    return {
        name
        for name in ours.keys() - visited - NO_PAGES
        if client.get(f"/{ours[name]}").status_code != 405
    }


def cost(visit: Visit) -> tuple[int, bool, int, int]:
    """Return status, lack of a documentation link, number of queries, bytes."""
    client = visit.who if isinstance(visit.who, Client) else Client()
    if is_person := isinstance(visit.who, User):
        client.force_login(visit.who)
    # What is cached from the first view on is not counted.
    status = client.get(visit.path, follow=True).status_code
    with captured_queries() as requests:
        content = client.get(visit.path).content
    page = content.decode()
    lacks_link = is_person and "<h1" in page and 'id="documentation-link"' not in page
    size = len(gzip.compress(content)) + sum(map(packed, loaded(page)))
    return status, lacks_link, len(requests), size


def loaded(page: str) -> set[Path]:
    """Return the styles and scripts of a page, with imported modules."""
    linked = re.findall(r'<link rel="stylesheet" href="/static/(.*?)"', page)
    scripts = re.findall(r'<script[^>]* src="/static/(.*?)"', page)
    return {file for name in [*linked, *scripts] for file in with_imports(static_file(name))}


def static_file(name: str) -> Path:
    path = finders.find(name)
    assert path, name
    return Path(path)


@cache
def with_imports(script: Path) -> frozenset[Path]:
    def walk(file: Path, seen: set[Path]) -> Iterator[Path]:
        if file in seen:
            return
        seen.add(file)
        yield file
        for name in re.findall(r'from "(\.[^"]+)"', file.read_text("utf-8")):
            yield from walk((file.parent / name).resolve(), seen)

    return frozenset(walk(script, set()) if script.suffix == ".js" else [script])


@cache
def packed(file: Path) -> int:
    return len(gzip.compress(file.read_bytes()))
