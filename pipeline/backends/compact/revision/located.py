"""A span of the original passage in the current text."""

from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from pipeline.backends.compact.text.spans import Mention, mentions
from pipeline.rarr.types import Passage
from pipeline.text.sentences import split_sentences
from pipeline.text.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A span of y and its sentence, with the sentences before."""

    mention: Mention
    sentence: str
    sentence_span: Span
    current: str
    context: str
    earlier: tuple[str, ...] = ()

    def in_text(self, span: Span) -> Span:
        """Convert a span of the sentence to one of y."""
        return Span(
            start=self.sentence_span.start + span.start, end=self.sentence_span.start + span.end
        )


def locate(passage: Passage, current: str, about: Span) -> Located | None:
    """Return the check-worthy span of `current` that `about` became, or None."""
    span = about if passage.text == current else moved(passage.text, current, about)
    earlier: list[str] = []
    for sentence_span in split_sentences(current):
        sentence = sentence_span.of(current)
        if sentence_span.start <= span.start < sentence_span.end:
            break
        earlier.append(sentence)
    else:
        return None
    for mention in mentions(sentence):
        located = Located(
            mention=mention,
            sentence=sentence,
            sentence_span=sentence_span,
            current=current,
            context=passage.context,
            earlier=tuple(earlier),
        )
        if located.in_text(mention).meets(span):
            return located
    return None


def moved(original: str, current: str, span: Span) -> Span:
    """Map `span` of `original` to `current`, an edited copy."""
    start, end = span.start, span.end
    for tag, a, b, c, d in _opcodes(original, current):
        if a <= span.start < b:
            start = c + (span.start - a) if tag == "equal" else c
        if a < span.end <= b:
            end = c + (span.end - a) if tag == "equal" else d
    return Span(start=start, end=max(end, start + 1))


@lru_cache(maxsize=256)
def _opcodes(original: str, current: str) -> tuple[tuple[str, int, int, int, int], ...]:
    return tuple(
        (o.tag, o.src_start, o.src_end, o.dest_start, o.dest_end)
        for o in Levenshtein.opcodes(original, current)
    )
