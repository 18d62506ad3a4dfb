"""Passages in short, so that more of them fit: summaries and snippets (ALCE, section 4)."""

from dataclasses import dataclass, replace

from pipeline.generation.passages import find_passages
from pipeline.generation.prompting import line
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Compression, Question, Record, Step
from pipeline.generation.writing import write_answers
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Evidence

TOKENS = 150
"""The longest summary or snippet: passages have 100 words."""
IRRELEVANT = "irrelevant"
"""What the model says of a passage that does not help."""
_QUOTES = " \"'“*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compressed:
    """Passages that the model took for relevant, best first."""

    passages: tuple[Evidence, ...] = ()
    """Whole: what an answer cites."""
    shown: tuple[Evidence, ...] = ()
    """The same, each in short."""
    record: Record


def compress_passages(question: Question, kind: Compression, *, tools: Tools) -> Compressed:
    """The best `compressed_passages` in short, without those that the model calls irrelevant.

    A passage whose reply is empty is shown whole. A snippet that does not stand in its passage
    is told as a problem, and its passage shown whole too. Raises what search and model raise.
    """
    found = find_passages(question, tools=tools)
    candidates = found.passages[: tools.config.compressed_passages]
    prompts = [
        replace(
            tools.prompt(kind, question, document=line(each)), max_tokens=TOKENS, temperature=0.0
        )
        for each in candidates
    ]
    replies = tools.complete(kind, prompts) if prompts else []
    kept: list[tuple[Evidence, Evidence]] = []
    steps = []
    for passage, (reply,) in zip(candidates, replies, strict=True):
        text = _read(reply, kind, tools)
        if text.lstrip(_QUOTES).casefold().startswith(IRRELEVANT):
            steps.append(Step(name=kind, text=f"{passage.title}: {IRRELEVANT}"))
            continue
        number = len(kept) + 1
        if kind == "snippet" and text and text not in " ".join(passage.text.split()):
            steps.append(Step(name="problem", text=f"not copied from [{number}]: {text}"))
            text = ""
        steps.append(Step(name=kind, text=f"[{number}] {text or 'shown whole'}"))
        kept.append((passage, replace(passage, text=text) if text else passage))
    return Compressed(
        passages=tuple(passage for passage, _ in kept),
        shown=tuple(short for _, short in kept),
        record=Record(steps=tuple(steps), recall_at=found.recall_at),
    )


def answer_compressed(question: Question, kind: Compression, *, tools: Tools) -> Answer:
    """An answer from passages in short; it cites the whole ones. Raises as `write_answers` does."""
    found = compress_passages(question, kind, tools=tools)
    (text,) = write_answers(question, found.shown, tools=tools)
    return Answer(text=text, sources=found.passages, record=found.record)


def _read(reply: str, kind: Compression, tools: Tools) -> str:
    try:
        text = tools.read_reply(kind, reply, str)
    except UnreadableReply:
        return ""
    text = " ".join(text.removeprefix(f"{kind.capitalize()}:").split())
    return text.strip('"“” ') if kind == "snippet" else text
