"""A scripted language model, and a cache in memory."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from pipeline.language_model import Completion, Prompt

Reply = str | Sequence[str]
"""The text of every sample, or one text a sample."""


class ScriptedModel:
    def __init__(self, answer: Reply | Callable[[Prompt], Reply]) -> None:
        self.answer = answer
        self.batches: list[list[Prompt]] = []
        self.steps: list[str] = []

    @property
    def prompts(self) -> list[Prompt]:
        return [prompt for batch in self.batches for prompt in batch]

    def for_step(self, step: str) -> Self:
        self.steps.append(step)
        return self

    def complete(self, prompts: Sequence[Prompt]) -> Sequence[Completion]:
        self.batches.append(list(prompts))
        return [self.completion(prompt) for prompt in prompts]

    def forget(self, completions: Iterable[Completion]) -> None: ...

    def completion(self, prompt: Prompt) -> Completion:
        reply = self.answer(prompt) if callable(self.answer) else self.answer
        texts = (reply,) * prompt.samples if isinstance(reply, str) else tuple(reply)
        return Completion(texts=texts)


def in_turn(*replies: str) -> ScriptedModel:
    left = list(replies)
    return ScriptedModel(lambda prompt: left.pop(0))


class MemoryCache:
    def __init__(self) -> None:
        self.stored: dict[str, Any] = {}

    def get_many(self, keys: Sequence[str]) -> Mapping[str, Any]:
        return {key: self.stored[key] for key in keys if key in self.stored}

    def put_many(self, answers: Mapping[str, Any]) -> None:
        self.stored |= answers
