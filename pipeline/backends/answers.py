"""Answers of models and searches, kept by what was asked: the same question is asked once.

A key covers everything that decides an answer, so a re-run or an ablation gets the very same
answers, the sampled ones included. Where answers are kept is the caller's choice for the work at
hand (`kept_in`); a backend that is made once per process and serves many runs asks `CURRENT`.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
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


_current: ContextVar[Answers | None] = ContextVar("answers", default=None)


@contextmanager
def kept_in(answers: Answers | None) -> Iterator[None]:
    """Keep the answers of the work inside in `answers`; None keeps and finds none.

    A thread that is started inside needs a copy of the context (`contextvars.copy_context`).
    """
    token = _current.set(answers)
    try:
        yield
    finally:
        _current.reset(token)


class CurrentAnswers:
    """The store of the work at hand, see `kept_in`; knows nothing where none was chosen."""

    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]:
        answers = _current.get()
        return answers.get_many(keys) if answers and keys else {}

    def put_many(self, answers: Mapping[str, Any]) -> None:
        store = _current.get()
        if store and answers:
            store.put_many(answers)


CURRENT: Answers = CurrentAnswers()
