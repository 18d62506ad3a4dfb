"""Citations put into a text that has none, behind each of its statements."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.generation.types import Question
from pipeline.metrics.citation_marks import says_something
from pipeline.rarr.ports import SentenceSplitter
from pipeline.text.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement of an answer that cites nothing yet."""

    span: Span
    text: str
    """What is to be supported: the sentence, or the question with an entity of its list."""


def claims_of(text: str, *, question: Question, splitter: SentenceSplitter) -> tuple[Claim, ...]:
    """The statements of a text without citations: its sentences, or the entities of a list."""
    spans = _entities(text) if question.is_list else splitter(text)
    before = f"{question.text} " if question.is_list else ""
    return tuple(
        Claim(span=span, text=before + span.of(text))
        for span in spans
        if says_something(span.of(text))
    )


def cite_claims(text: str, cited: Iterable[tuple[Claim, Sequence[int]]]) -> str:
    """The text with the numbers of each statement at its end; all else stays as it is."""
    parts, at = [], 0
    for claim, numbers in cited:
        parts += [text[at : claim.span.start], cite(claim.span.of(text), numbers)]
        at = claim.span.end
    return "".join([*parts, text[at:]])


def cite(statement: str, numbers: Sequence[int]) -> str:
    """A statement with its citations before the full stop.

    >>> cite("It fell.", [2, 1])
    'It fell [2][1].'
    """
    if not numbers:
        return statement
    body = statement.rstrip(".!?…")
    marks = "".join(f"[{number}]" for number in numbers)
    return f"{body} {marks}{statement[len(body) :]}"


def _entities(text: str) -> list[Span]:
    """The parts between commas, without the white space and the full stop around them."""
    found, start = [], 0
    for part in text.split(","):
        bare = part.strip().rstrip(".").rstrip()
        begin = start + len(part) - len(part.lstrip())
        found.append(Span(start=begin, end=begin + len(bare)))
        start += len(part) + 1
    return found
