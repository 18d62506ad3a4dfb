"""The search of a configuration, from the RARR_… settings."""

import hashlib
from functools import lru_cache
from pathlib import Path

from django.conf import settings

import rarrweb
from pipeline.backends.opensearch.server import Server
from pipeline.backends.search_names import CORPUS, SOURCES, read_search
from pipeline.backends.searches import (
    Index,
    PassageSources,
    WebClients,
    make_engine,
    make_retriever,
)
from pipeline.backends.web.addresses import read_trusted
from pipeline.backends.web.errors import BadUrl
from pipeline.backends.web.guarded import GuardedClient
from pipeline.backends.web.robots import AGENT, Robots
from pipeline.engine.configuration import RunConfig
from pipeline.generation.strategies import WITHOUT_SEARCH
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import Retriever


def load_retriever(config: RunConfig, index: Index | None) -> Retriever:
    """Load the search of a configuration over the corpus at `index`, None without a corpus.

    Raises `BadConfig` for an invalid search, and the corpus's error for a missing index.
    """
    if config.system in WITHOUT_SEARCH:
        return PassageSources()
    return make_retriever(config.search, index=index, domains=config.domains, web=load_web())


def check_settings() -> None:
    """Raise `BadConfig` for an invalid setting of runs; sends no request."""
    RunConfig.from_settings()
    opensearch_server()
    load_web()
    search_identity(settings.RARR_SEARCH)


def search_identity(search: str) -> dict[str, str]:
    """Return what a run freezes of its search engines; sends no request.

    For a `json:` engine a checksum of its definition. Raises `BadConfig` for an invalid engine.
    """
    identities = {}
    for part in read_search(search):
        if part.kind not in {CORPUS, SOURCES}:
            identity = make_engine(part, web=load_web()).identity
            if part.kind == "json":
                digest = hashlib.sha256(identity.encode()).hexdigest()
                identities[f"json:{part.argument}"] = f"sha256 {digest}"
    return identities


def opensearch_server() -> Server | None:
    """Return the server of indexes, or None; raises `BadConfig`, sends no request."""
    return Server.read(settings.RARR_OPENSEARCH) if settings.RARR_OPENSEARCH else None


def load_web() -> WebClients:
    """Return the guarded web clients; raises `BadConfig`."""
    return _web(
        settings.RARR_TRUSTED_HOSTS,
        settings.RARR_SEARCH_ENGINES,
        settings.RARR_PAGE_PAUSE,
        settings.RARR_CONTACT,
    )


@lru_cache(maxsize=4)
def _web(trusted: str, engines: str, pause: float, contact: str) -> WebClients:
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
    return WebClients(
        client=client,
        robots=Robots(client=client, pause_seconds=pause),
        engines=Path(engines) if engines else None,
    )
