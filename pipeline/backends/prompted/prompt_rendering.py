"""How a step fills its prompt with passages and evidence, and how much room its replies get."""

from collections.abc import Sequence
from copy import copy
from typing import Self

from pipeline.backends.work import WorkContext, for_work
from pipeline.language_model import LanguageModel, Prompt
from pipeline.rarr.dialog import parse_dialog
from pipeline.rarr.prompts import Prompts
from pipeline.rarr.types import Evidence

CONTEXTUAL_PROMPTS = ("dialog", "any")
"""Which contexts lead to the contextual prompts: turns of a dialog (section 5.2), or any."""


class PromptedStep:
    """What the steps share: a language model, the prompts, and a prompt filled in."""

    def __init__(
        self,
        *,
        model: LanguageModel,
        prompts: Prompts,
        temperature: float = 0.0,
        contextual: str = "any",
    ) -> None:
        """`temperature` is that of prompts that name none; `contextual` one of
        `CONTEXTUAL_PROMPTS`."""
        self._model = model
        self._prompts = prompts
        self._temperature = temperature
        self._contextual = contextual

    def for_work(self, work: WorkContext) -> Self:
        """The same step; its model asks for the work."""
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
        """Fill in a prompt; its contextual version where there is one and the context fits it."""
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
    """A snippet behind its title, which a pronoun in the middle of a page may stand for.

    It is one line, since a blank one would look like the end of a demonstration.
    """
    title = f"[{' '.join(evidence.title.split())}] " if evidence.title.strip() else ""
    return title + " ".join(evidence.text.split())


def numbered(evidence: Sequence[Evidence]) -> str:
    """Several snippets, a numbered line each."""
    return "\n".join(
        f"{number}. {evidence_line(each)}" for number, each in enumerate(evidence, start=1)
    )


def tokens_for(text: str) -> int:
    """More tokens than any usual tokenizer makes of the text: a reply may repeat it whole."""
    return len(text.encode()) // 2 + 32
