"""How passages and evidence are laid into a prompt, and how much room their replies get."""

from collections.abc import Sequence

from pipeline.rarr.ports import Prompt
from pipeline.rarr.prompts import Prompts
from pipeline.rarr.types import Evidence


def laid(
    prompts: Prompts,
    name: str,
    *,
    context: str,
    max_tokens: int,
    samples: int = 1,
    temperature: float = 0.0,
    **values: str,
) -> Prompt:
    """The prompt of a sub-task; its contextual version where there is a context."""
    context = context.strip()
    template = prompts[f"{name}_with_context" if context else name]
    if context:
        values["context"] = context
    return Prompt(
        text=template.render(**values),
        samples=samples,
        temperature=temperature,
        max_tokens=max_tokens,
        stop=template.stop,
    )


def evidence_line(evidence: Evidence) -> str:
    """A snippet on one line behind its title: in the middle of a page "it" stands for that.

    On one line, as a blank one would look like the end of a demonstration.
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
