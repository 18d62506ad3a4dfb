"""A store of answers in a dict."""

from collections.abc import Mapping, Sequence
from typing import Any


class MemoryAnswers:
    def __init__(self) -> None:
        self.held: dict[str, Any] = {}

    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]:
        return {key: self.held[key] for key in keys if key in self.held}

    def put_many(self, answers: Mapping[str, Any]) -> None:
        self.held |= answers
