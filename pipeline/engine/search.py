"""The search of a configuration, made of the RARR_… settings; the web's part once a process."""

import hashlib
from functools import lru_cache
from pathlib import Path

from django.conf import settings

import rarrweb
from pipeline.backends.opensearch.server import Server
from pipeline.backends.search_names import CORPUS, SOURCES, needs_corpus, read_search
from pipeline.backends.searches import Index, Web, make_engine, make_retriever
from pipeline.backends.web.addresses import read_trusted
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.errors import BadUrl
from pipeline.backends.web.guarded import GuardedClient
from pipeline.backends.web.robots import AGENT, Robots
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import Retriever


def load_retriever(
    search: str, *, index: Index | None, domains_excluded: str = "", domains_allowed: str = ""
) -> Retriever:
    """The search of a setting over the corpus at `index`; None where the run has none.

    Raises `BadConfig` for a search that cannot be made, and the corpus's own error where its
    index is gone.
    """
    if index is None and needs_corpus(search):
        raise BadConfig(f"search={search!r} searches a corpus, and none is named: name one.")
    domains = Domains.read(excluded=domains_excluded, allowed=domains_allowed)
    return make_retriever(search, index=index, domains=domains, web=load_web())


def check_settings() -> None:
    """Raises `BadConfig` for a setting of the search that cannot be right; asks nobody."""
    try:
        parts = read_search(settings.RARR_SEARCH)
    except BadConfig as error:
        raise BadConfig(f"RARR_SEARCH={settings.RARR_SEARCH!r}: {error}") from None
    opensearch_server()
    web = load_web()
    for part in parts:
        if part.kind not in {CORPUS, SOURCES}:
            make_engine(part, web=web)
    for name in ("excluded", "allowed"):
        value = getattr(settings, f"RARR_DOMAINS_{name.upper()}")
        try:
            Domains.read(**{name: value})
        except BadConfig as error:
            raise BadConfig(f"RARR_DOMAINS_{name.upper()}: {error}") from None


def search_identity(search: str) -> dict[str, str]:
    """What a run freezes of its search engines beside their names; asks nobody.

    Of a `json:` engine, whose file may change, a checksum of what decides its answers. Raises
    `BadConfig` for an engine that could not be asked.
    """
    found = {}
    for part in read_search(search):
        if part.kind not in {CORPUS, SOURCES}:
            identity = make_engine(part, web=load_web()).identity
            if part.kind == "json":
                digest = hashlib.sha256(identity.encode()).hexdigest()
                found[f"json:{part.argument}"] = f"sha256 {digest}"
    return found


def opensearch_server() -> Server | None:
    """The server that corpora are indexed on, None where it is this machine's disk.

    Raises `BadConfig` for a wrong setting; asks nobody.
    """
    return Server.read(settings.RARR_OPENSEARCH) if settings.RARR_OPENSEARCH else None


def load_web() -> Web:
    """The guarded client and what goes with it; raises `BadConfig` for a wrong setting."""
    return _web(
        settings.RARR_TRUSTED_HOSTS,
        settings.RARR_SEARCH_ENGINES,
        settings.RARR_PAGE_PAUSE,
        settings.RARR_CONTACT,
    )


@lru_cache(maxsize=4)
def _web(trusted: str, engines: str, pause: float, contact: str) -> Web:
    try:
        hosts = read_trusted(trusted)
    except BadUrl as error:
        raise BadConfig(f"RARR_TRUSTED_HOSTS: {error}") from None
    if not (contact.isascii() and contact.isprintable()):
        raise BadConfig(
            "RARR_CONTACT: write an address of plain letters, as mailto:me@example.org."
        )
    name = f"{AGENT}/{rarrweb.__version__}"
    client = GuardedClient(user_agent=f"{name} (+{contact})" if contact else name, trusted=hosts)
    return Web(
        client=client,
        robots=Robots(client=client, pause_seconds=pause),
        engines=Path(engines) if engines else None,
    )
