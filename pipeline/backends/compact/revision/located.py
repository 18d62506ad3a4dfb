"""A span of the original passage, found again in the text as it is now."""

from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from pipeline.backends.compact.text.spans import Mention, mentions
from pipeline.rarr.types import Passage
from pipeline.text.sentences import split_sentences
from pipeline.text.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A span of the current y, `mention`, with the sentence of y that holds it, at `place`.

    `earlier` are the sentences of y before that, `context` the passage's.
    """

    mention: Mention
    sentence: str
    sentence_span: Span
    current: str
    context: str
    earlier: tuple[str, ...] = ()

    def in_text(self, span: Span) -> Span:
        """Where a span of the sentence stands in y."""
        return Span(
            start=self.sentence_span.start + span.start, end=self.sentence_span.start + span.end
        )


def locate(passage: Passage, current: str, about: Span) -> Located | None:
    """The check-worthy span of `current` that `about` of the passage became; None if it is gone."""
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
            mention=mention, sentence=sentence, sentence_span=sentence_span, current=current,
            context=passage.context, earlier=tuple(earlier),
        )  # fmt: skip
        if located.in_text(mention).meets(span):
            return located
    return None


def moved(original: str, current: str, span: Span) -> Span:
    """Where `span` of `original` lies in `current`, which is an edited copy."""
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
