"""A language model that answers from a script, and a store of answers in a dict."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from pipeline.rarr.ports import Completion, Prompt

Reply = str | Sequence[str]
"""The text of every sample, or one text a sample."""


class ScriptedModel:
    """Gives what `says` says of a prompt, or the same to all; remembers what it was asked."""

    def __init__(self, says: Reply | Callable[[Prompt], Reply]) -> None:
        self.says = says
        self.asked: list[list[Prompt]] = []
        self.steps: list[str] = []

    @property
    def prompts(self) -> list[Prompt]:
        return [prompt for batch in self.asked for prompt in batch]

    def for_step(self, step: str) -> Self:
        self.steps.append(step)
        return self

    def complete(self, prompts: Sequence[Prompt]) -> Sequence[Completion]:
        self.asked.append(list(prompts))
        return [self.completion(prompt) for prompt in prompts]

    def completion(self, prompt: Prompt) -> Completion:
        said = self.says(prompt) if callable(self.says) else self.says
        return Completion(texts=(said,) * prompt.samples if isinstance(said, str) else tuple(said))


def in_turn(*replies: str) -> ScriptedModel:
    """Answers the prompts one after another, whatever they ask."""
    left = list(replies)
    return ScriptedModel(lambda prompt: left.pop(0))


class MemoryAnswers:
    """Kept answers in a dict."""

    def __init__(self) -> None:
        self.held: dict[str, Any] = {}

    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]:
        return {key: self.held[key] for key in keys if key in self.held}

    def put_many(self, answers: Mapping[str, Any]) -> None:
        self.held |= answers
