"""Web pages that passages name as sources, read during the import."""

from collections.abc import Collection, Iterable, Iterator
from copy import deepcopy
from itertools import islice

import msgspec
from django.conf import settings

from pipeline.backends.search_names import CORPUS, SOURCES
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.pages import PageReader
from pipeline.backends.work import WorkContext
from pipeline.data.staging import StagedRow
from pipeline.engine.search import load_web
from pipeline.importing.passage import PassageSource

AT_ONCE = 20
"""Passages whose pages are read at the same time."""


def may_read_web() -> bool:
    return settings.RARR_SEARCH not in {CORPUS, SOURCES}


def read_sources(rows: Iterable[StagedRow], same: Collection[str]) -> Iterator[StagedRow]:
    """Add the texts of web pages to sources that have only a URL.

    Skips rows whose ids are in `same`, and unreadable pages. The content hash remains the file's,
    so that the same file adds nothing later.
    """
    if not may_read_web():
        yield from rows
        return
    rows = iter(rows)
    while some := list(islice(rows, AT_ONCE)):
        sources = {
            row.external_id: PassageSource.from_json(bytes(row.source))
            for row in some
            if row.external_id not in same and b"://" in bytes(row.source)
        }
        urls = [url for source in sources.values() for url in source.addresses]
        pages = _reader(WorkContext()).read(dict.fromkeys(urls, "")) if urls else {}
        for row in some:
            if pages and (source := sources.get(row.external_id)):
                source.add_pages(pages)
                row.source = msgspec.Raw(source.to_json())
            yield row


def read_named_pages(source: PassageSource, work: WorkContext) -> PassageSource:
    """Return one passage's sources with the texts of their web pages.

    The work records unreadable pages.
    """
    complete = deepcopy(source)
    if urls := complete.addresses:
        complete.add_pages(_reader(work).read(dict.fromkeys(urls, "")))
    return complete


def _reader(work: WorkContext) -> PageReader:
    web = load_web()
    domains = Domains.read(
        excluded=settings.RARR_DOMAINS_EXCLUDED, allowed=settings.RARR_DOMAINS_ALLOWED
    )
    return PageReader(client=web.client, robots=web.robots, domains=domains, work=work)
