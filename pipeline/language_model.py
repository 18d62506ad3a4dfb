"""Prompts to language models, and their completions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text that a language model continues."""

    text: str
    system: str = ""
    """The form of the reply, for the system message of a chat."""
    samples: int = 1
    """More than one need a temperature above 0."""
    temperature: float = 0.0
    max_tokens: int = 256
    """Of each sample."""
    stop: tuple[str, ...] = ()
    """A sample ends before any of these."""
    wants_tokens: bool = False
    """Request log-probabilities; a model may ignore it."""

    @property
    def joined(self) -> str:
        """System message and text, for models without system messages."""
        return f"{self.system}\n\n{self.text}" if self.system else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token of a sample with its most likely alternatives."""

    text: str
    alternatives: tuple[tuple[str, float], ...]
    """(token, natural logarithm of its probability), the token itself included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A language model's answer to a prompt."""

    texts: tuple[str, ...]
    """One per sample, as written by the model."""
    tokens: tuple[tuple[Token, ...], ...] = ()
    """Of each text, () where unknown; empty where the prompt requests none."""


class LanguageModel(Protocol):
    """Completes prompts together, in order.

    Raises `TransientError` where a prompt has no answer after its retries, and `RefusedPrompt`
    where the model refuses one.
    """

    def complete(self, prompts: Sequence[Prompt]) -> Sequence[Completion]: ...


@runtime_checkable
class Forgetting(LanguageModel, Protocol):
    """A language model that caches its completions and can drop them."""

    def forget(self, prompts: Sequence[Prompt]) -> None: ...
