"""Insertion of citations into an uncited text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.generation.types import Question
from pipeline.metrics.citation_marks import has_words
from pipeline.rarr.ports import SentenceSplitter
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


def _entities(text: str) -> list[Span]:
    spans, start = [], 0
    for part in text.split(","):
        bare = part.strip().rstrip(".").rstrip()
        begin = start + len(part) - len(part.lstrip())
        spans.append(Span(start=begin, end=begin + len(bare)))
        start += len(part) + 1
    return spans
