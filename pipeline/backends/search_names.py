"""Values of `RARR_SEARCH`: one search, or several with interleaved results.

    corpus                                  the run's corpus
    sources                                 each passage's sources only
    searxng:http://localhost:8888           a SearXNG server
    json:NAME                               an engine described in NAME.toml
    corpus+searxng:http://localhost:8888    both

`searches` makes the objects; every process reads names.
"""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from pipeline.backends import BACKENDS, backend, split_name
from pipeline.rarr.errors import BadConfig

CORPUS = "corpus"
SOURCES = "sources"
# An address may contain a "+".
_PLUS = re.compile(rf"\+(?=(?:{'|'.join(BACKENDS['retriever'])})(?:[:+]|$))")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPart:
    kind: str
    """A name in `BACKENDS["retriever"]`."""
    argument: str


def read_search(name: str) -> tuple[SearchPart, ...]:
    """Read the searches of a setting without contacting a server.

    Raises `BadConfig` for an unknown or repeated kind and for an impossible argument.
    """
    parts = []
    for each in _PLUS.split(name):
        backend("retriever", each.partition(":")[0])
        kind, argument = split_name(each)
        if kind == "searxng":
            _check_address(argument)
        parts.append(SearchPart(kind=kind, argument=argument))
    if len(parts) > 1 and any(part.kind == SOURCES for part in parts):
        raise BadConfig("'sources' cannot be combined with other searches.")
    if len(set(parts)) < len(parts):
        raise BadConfig("The same search is given twice: delete one.")
    return tuple(parts)


def needs_corpus(name: str) -> bool:
    """Return whether runs must name a corpus; raises `BadConfig`."""
    return any(part.kind == CORPUS for part in read_search(name))


def _check_address(text: str) -> None:
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise BadConfig(f"searxng:{text} has no server: write searxng:https://HOST.")
