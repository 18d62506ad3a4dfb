"""How a step fills its prompt with passages and evidence, and how much room its replies get."""

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

from pipeline.backends.work import WorkContext, for_work
from pipeline.language_model import LanguageModel, Prompt
from pipeline.rarr.dialog import turns_of
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
        """The prompt of a sub-task with its `values`; it stops where the template says, or at
        `stop`."""
        template = self._prompts[name]
        return Prompt(
            text=template.render(**values),
            system=template.system,
            samples=samples,
            temperature=self._temperature if temperature is None else temperature,
            max_tokens=max_tokens,
            stop=template.stop if stop is None else stop,
        )

    def _prompt_in_context(self, name: str, *, context: str, **values: Any) -> Prompt:
        """As `_prompt`; the sub-task's contextual version where the context is one for it."""
        context = context.strip()
        if not context or (self._contextual == "dialog" and not turns_of(context)):
            return self._prompt(name, **values)
        return self._prompt(f"{name}_with_context", context=context, **values)


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
