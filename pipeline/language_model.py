"""Prompts and completions of language models."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text that a language model continues."""

    text: str
    system: str = ""
    """The form of the reply, for the system message of a chat."""
    samples: int = 1
    """More than one need a temperature above 0."""
    temperature: float = 0.0
    top_p: float = 1.0
    """Sample among the likeliest tokens with this total probability."""
    max_tokens: int = 256
    """Of each sample."""
    stop: tuple[str, ...] = ()
    """A sample ends before any of these."""
    wants_tokens: bool = False
    """Request log-probabilities; a model may ignore it."""

    @property
    def joined(self) -> str:
        """All in one text."""
        return f"{self.system}\n\n{self.text}" if self.system else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    text: str
    alternatives: tuple[tuple[str, float], ...]
    """(token, natural logarithm of its probability), the token itself included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    texts: tuple[str, ...]
    """One per sample, as written by the model."""
    tokens: tuple[tuple[Token, ...], ...] = ()
    """Of each text, () where unknown; empty where the prompt requests none."""
    cache_keys: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """Of each text, for `LanguageModel.forget`."""


class LanguageModel(Protocol):
    """Completes prompts in order.

    Raises `TransientError` for an unanswered prompt, `RefusedPrompt` for a refused one.
    """

    def complete(self, prompts: Sequence[Prompt]) -> Sequence[Completion]: ...

    def forget(self, completions: Iterable[Completion]) -> None:
        """Drop completions from the cache."""
        ...
