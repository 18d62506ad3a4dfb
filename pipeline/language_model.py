"""What a language model is asked, and what it answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text that a language model goes on with; it ends where the model begins."""

    text: str
    system: str = ""
    """The form of the reply, for the system message of a chat."""
    samples: int = 1
    """Answers wanted; more than one need a temperature above 0."""
    temperature: float = 0.0
    max_tokens: int = 256
    """Of each answer."""
    stop: tuple[str, ...] = ()
    """The answer ends before any of these."""
    wants_tokens: bool = False
    """Whether the answer's tokens are wanted with their chances; a model may pass over it."""

    @property
    def joined(self) -> str:
        """All of it in one text, for models that know no system message."""
        return f"{self.system}\n\n{self.text}" if self.system else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token of an answer, and the likeliest ones in its place."""

    text: str
    alternatives: tuple[tuple[str, float], ...]
    """(token, natural logarithm of its probability); the token itself is one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a language model answered."""

    texts: tuple[str, ...]
    """One a sample, as the model gave them."""
    tokens: tuple[tuple[Token, ...], ...] = ()
    """Those of each sample, where they were wanted; () for one whose tokens are not known."""
    input_tokens: int = 0
    output_tokens: int = 0
    """Of all samples together."""

    @property
    def samples(self) -> tuple[tuple[str, tuple[Token, ...]], ...]:
        """Each text with its tokens."""
        unknown = ((),) * (len(self.texts) - len(self.tokens))
        return tuple(zip(self.texts, self.tokens + unknown, strict=True))


class LanguageModel(Protocol):
    """The answers to prompts, in order; asked together, so that nobody waits for another.

    Raises `TransientError` where any of them stayed unanswered after its retries, and
    `RefusedPrompt` where one of them will never be answered.
    """

    def complete(self, prompts: Sequence[Prompt]) -> Sequence[Completion]: ...


@runtime_checkable
class Forgetting(LanguageModel, Protocol):
    """A language model that keeps its answers, and can be told which were of no use."""

    def forget(self, prompts: Sequence[Prompt]) -> None: ...
