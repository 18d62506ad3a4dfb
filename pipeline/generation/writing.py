"""Drafts and answers that a language model writes in a single call."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pipeline.generation.prompting import numbered, read_answer
from pipeline.generation.tools import Tools
from pipeline.generation.types import NoDraft, Question
from pipeline.metrics.citation_marks import has_words
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import Evidence
from pipeline.text.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement without a citation."""

    span: Span
    text: str
    """The sentence, or the question with a list's entity."""


def claims_of(text: str, *, question: Question, splitter: SentenceSplitter) -> tuple[Claim, ...]:
    """Return the sentences of an uncited text, or the entities of a list."""
    spans = _entities(text) if question.is_list else splitter(text)
    before = f"{question.text} " if question.is_list else ""
    return tuple(
        Claim(span=span, text=before + span.of(text)) for span in spans if has_words(span.of(text))
    )


def insert_citations(text: str, cited: Iterable[tuple[Claim, Sequence[int]]]) -> str:
    parts, at = [], 0
    for claim, numbers in cited:
        parts += [text[at : claim.span.start], cite(claim.span.of(text), numbers)]
        at = claim.span.end
    return "".join([*parts, text[at:]])


def cite(statement: str, numbers: Sequence[int]) -> str:
    """Insert citations before the full stop.

    >>> cite("It fell.", [2, 1])
    'It fell [2][1].'
    """
    if not numbers:
        return statement
    body = statement.rstrip(".!?…")
    marks = "".join(f"[{number}]" for number in numbers)
    return f"{body} {marks}{statement[len(body) :]}"


def quote(sentence: str, number: int) -> str:
    """Return a passage's sentence on one line, with its number and a full stop.

    >>> quote("It fell", 1)
    'It fell [1].'
    """
    text = " ".join(sentence.split())
    return cite(text if text[-1] in ".!?" else f"{text}.", [number])


def _entities(text: str) -> list[Span]:
    spans, start = [], 0
    for part in text.split(","):
        bare = part.strip().rstrip(".").rstrip()
        begin = start + len(part) - len(part.lstrip())
        spans.append(Span(start=begin, end=begin + len(bare)))
        start += len(part) + 1
    return spans


def write_answers(
    question: Question, passages: Sequence[Evidence], *, tools: Tools, samples: int = 1
) -> tuple[str, ...]:
    """Write 1 to `samples` answers that cite `passages` by number.

    Empty samples are dropped; raises `UnreadableReply` if all are.
    """
    prompt = tools.prompt(
        "cited_list" if question.is_list else "cited_answer", question, passages=numbered(passages)
    )
    (replies,) = tools.complete("answer", [replace(prompt, samples=samples)])
    texts, wrong = [], []
    for reply in replies:
        try:
            texts.append(tools.read_reply("answer", reply, read_answer))
        except UnreadableReply as error:
            wrong.append(error)
    if not texts:
        raise wrong[0] if wrong else UnreadableReply("The language model gave no answer.")
    return tuple(texts)


def generate_draft(question: Question, *, tools: Tools) -> str:
    prompt = tools.prompt("uncited_list" if question.is_list else "uncited_answer", question)
    ((reply,),) = tools.complete("draft", [prompt])
    return tools.read_reply("draft", reply, read_answer)


def get_or_generate_draft(question: Question, *, tools: Tools) -> str:
    """Return the question's draft, or let the language model write one.

    Raises `NoDraft` without either.
    """
    if question.draft.strip():
        return question.draft.strip()
    if tools.model is None:
        raise NoDraft(
            f"The passage {question.id} has no text to begin with, and the compact models write "
            "none: import answers as its text, or set llm to openai:MODEL or hf:NAME_OR_PATH."
        )
    return generate_draft(question, tools=tools)
