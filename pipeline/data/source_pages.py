"""The web pages that passages name as their sources, read while their file is imported."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from itertools import islice
from typing import Any

import msgspec
from django.conf import settings

from pipeline.backends.search_names import CORPUS, SOURCES
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.pages import PageReader
from pipeline.backends.work import WorkContext
from pipeline.data.staging import Row
from pipeline.engine.search import load_web
from pipeline.importing.came_with import addresses_of, with_pages

AT_ONCE = 20
"""Passages whose pages are read, and held in memory, at the same time."""


def may_read_web() -> bool:
    """Whether the administrator lets this server read pages: searches of the web do."""
    return settings.RARR_SEARCH not in {CORPUS, SOURCES}


def read_sources(rows: Iterable[Row], same: Collection[str]) -> Iterator[Row]:
    """The rows, with the texts of the pages that their sources only name by URL.

    Of rows whose ids are in `same` no page is read: the database has them.

    A source whose page cannot be read stays without a text, and so do all without web access. The
    content hash stays that of the file, so the same file adds nothing the next time.
    """
    if not may_read_web():
        yield from rows
        return
    rows = iter(rows)
    while some := list(islice(rows, AT_ONCE)):
        found: dict[int, dict[str, Any]] = {}
        for number, row in enumerate(some):
            if row.external_id not in same and b"://" in bytes(row.source):
                found[number] = msgspec.json.decode(row.source)
        addresses = [url for source in found.values() for url in addresses_of(source)]
        pages = _reader(WorkContext()).read(dict.fromkeys(addresses, "")) if addresses else {}
        for number, row in enumerate(some):
            if pages and number in found:
                source = with_pages(found[number], pages)
                row.source = msgspec.Raw(msgspec.json.encode(source))
            yield row


def read_named_pages(source: Mapping[str, Any], work: WorkContext) -> dict[str, Any]:
    """The sources of one passage with the texts of the pages that they only name.

    Those that could not be read are among the work's pages left out, with the reasons.
    """
    complete = deepcopy(dict(source))
    addresses = addresses_of(complete)
    if not addresses:
        return complete
    return with_pages(complete, _reader(work).read(dict.fromkeys(addresses, "")))


def _reader(work: WorkContext) -> PageReader:
    web = load_web()
    domains = Domains.read(
        excluded=settings.RARR_DOMAINS_EXCLUDED, allowed=settings.RARR_DOMAINS_ALLOWED
    )
    return PageReader(client=web.client, robots=web.robots, domains=domains, work=work)
