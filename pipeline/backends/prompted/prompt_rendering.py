"""Prompts of steps, filled with passages and evidence."""

from collections.abc import Sequence
from copy import copy
from typing import Self

from pipeline.backends.work import WorkContext, for_work
from pipeline.language_model import LanguageModel, Prompt
from pipeline.rarr.dialog import parse_dialog
from pipeline.rarr.prompts import Prompts
from pipeline.rarr.types import Evidence

CONTEXTUAL_PROMPTS = ("dialog", "any")
"""Contexts for the contextual prompts: turns of a dialog (section 5.2), or any."""


class PromptedStep:
    def __init__(
        self,
        *,
        model: LanguageModel,
        prompts: Prompts,
        temperature: float = 0.0,
        contextual: str = "any",
    ) -> None:
        """`temperature` is the default; `contextual` is one of `CONTEXTUAL_PROMPTS`."""
        self._model = model
        self._prompts = prompts
        self._temperature = temperature
        self._contextual = contextual

    def for_work(self, work: WorkContext) -> Self:
        made = copy(self)
        made._model = for_work(self._model, work)
        return made

    def _prompt(
        self,
        name: str,
        *,
        max_tokens: int,
        samples: int = 1,
        temperature: float | None = None,
        stop: tuple[str, ...] | None = None,
        **values: str,
    ) -> Prompt:
        """Fill in a prompt, or its contextual version where the context fits it."""
        with_context = f"{name}_with_context"
        if with_context in self._prompts.templates:
            context = values.pop("context").strip()
            if context and (self._contextual == "any" or parse_dialog(context)):
                name, values["context"] = with_context, context
        template = self._prompts[name]
        return Prompt(
            text=template.render(**values),
            system=template.system,
            samples=samples,
            temperature=self._temperature if temperature is None else temperature,
            max_tokens=max_tokens,
            stop=template.stop if stop is None else stop,
        )


def evidence_line(evidence: Evidence) -> str:
    """Return a snippet behind its title, which resolves pronouns, on one line.

    A blank line would look like the end of a demonstration.
    """
    title = f"[{' '.join(evidence.title.split())}] " if evidence.title.strip() else ""
    return title + " ".join(evidence.text.split())


def numbered(evidence: Sequence[Evidence]) -> str:
    return "\n".join(
        f"{number}. {evidence_line(each)}" for number, each in enumerate(evidence, start=1)
    )


def tokens_for(text: str) -> int:
    """Return more tokens than usual tokenizers make of a text."""
    return len(text.encode()) // 2 + 32
