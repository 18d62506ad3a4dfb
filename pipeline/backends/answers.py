"""Answers of models and searches, kept by what was asked: the same question is asked once.

A key covers everything that decides an answer, so a re-run or an ablation gets the very same
answers, the sampled ones included. Where answers are kept is the caller's choice for the work at
hand (`pipeline.backends.work`).
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Answers(Protocol):
    """A store of answers, JSON values by `key_of`; shared by threads, perhaps by processes.

    Never raises for a store that is full or broken: then the question is asked again.
    """

    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]:
        """Those that are known; a key without an answer is left out."""
        ...

    def put_many(self, answers: Mapping[str, Any]) -> None:
        """Keep them; what was known under a key is overwritten."""
        ...


def key_of(kind: str, **parts: Any) -> str:
    """A SHA-256 of everything that decides an answer; `parts` are JSON values.

    >>> key_of("search", query="a", limit=5) == key_of("search", limit=5, query="a")
    True
    """
    canonical = json.dumps([kind, parts], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


class NoAnswers:
    """Knows nothing and keeps nothing."""

    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]:
        return {}

    def put_many(self, answers: Mapping[str, Any]) -> None: ...
