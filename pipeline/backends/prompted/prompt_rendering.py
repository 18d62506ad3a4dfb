"""How a step fills its prompt with passages and evidence, and how much room its replies get."""

from collections.abc import Sequence
from typing import Any

from pipeline.rarr.ports import LanguageModel, Prompt
from pipeline.rarr.prompts import Prompts
from pipeline.rarr.types import Evidence


class PromptedStep:
    """What the steps share: a language model, the prompts, and a prompt filled in."""

    def __init__(self, *, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    def _prompt(
        self,
        name: str,
        *,
        max_tokens: int,
        samples: int = 1,
        temperature: float = 0.0,
        stop: tuple[str, ...] | None = None,
        **values: str,
    ) -> Prompt:
        """The prompt of a sub-task with its `values`; it stops where the template says, or at
        `stop`."""
        template = self._prompts[name]
        return Prompt(
            text=template.render(**values),
            samples=samples,
            temperature=temperature,
            max_tokens=max_tokens,
            stop=template.stop if stop is None else stop,
        )

    def _prompt_in_context(self, name: str, *, context: str, **values: Any) -> Prompt:
        """As `_prompt`; the sub-task's contextual version where there is a context."""
        context = context.strip()
        if not context:
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
