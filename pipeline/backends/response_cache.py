"""A cache of responses of models and searches.

A key covers everything that decides a response, so a repeated run or an ablation gets the same
responses, sampled ones included.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class ResponseCache(Protocol):
    """JSON values by `cache_key`, shared by threads and perhaps processes.

    Never raises: a full or broken cache has no responses.
    """

    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]:
        """Return the cached responses among `keys`."""
        ...

    def put_many(self, responses: Mapping[str, Any]) -> None:
        """Add or overwrite responses."""
        ...


def cache_key(kind: str, **parts: Any) -> str:
    """Return the SHA-256 of everything that decides a response, in JSON values.

    >>> cache_key("search", query="a", limit=5) == cache_key("search", limit=5, query="a")
    True
    """
    canonical = json.dumps([kind, parts], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


class NoCache:
    """An empty cache."""

    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]:
        return {}

    def put_many(self, responses: Mapping[str, Any]) -> None: ...
