"""A span of the original passage, found again in the text as it is now."""

from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from pipeline.backends.compact.text.spans import Mention, mentions
from pipeline.rarr.ports import SentenceSplitter
from pipeline.rarr.types import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A span of the current y with the sentence that holds it."""

    mention: Mention
    """With places in `sentence`."""
    sentence: str
    offset: int
    """Where the sentence begins in y."""
    earlier: tuple[str, ...] = ()
    """The sentences of y before it."""

    @property
    def span(self) -> Span:
        return Span(start=self.offset + self.mention.start, end=self.offset + self.mention.end)

    @property
    def place(self) -> Span:
        """Where the sentence stands in y."""
        return Span(start=self.offset, end=self.offset + len(self.sentence))


def locate(
    original: str, current: str, about: Span, *, splitter: SentenceSplitter
) -> Located | None:
    """The check-worthy span of `current` that `about` of `original` became; None if it is gone."""
    place = about if original == current else moved(original, current, about)
    earlier: list[str] = []
    for sentence in splitter.split(current):
        if sentence.start <= place.start < sentence.end:
            break
        earlier.append(sentence.of(current))
    else:
        return None
    text = sentence.of(current)
    for mention in mentions(text):
        start, end = sentence.start + mention.start, sentence.start + mention.end
        if start < place.end and place.start < end:
            return Located(
                mention=mention, sentence=text, offset=sentence.start, earlier=tuple(earlier)
            )
    return None


def moved(original: str, current: str, span: Span) -> Span:
    """Where `span` of `original` lies in `current`, which is an edited copy."""
    start, end = _moved(original, current, span.start, span.end)
    return Span(start=start, end=end)


@lru_cache(maxsize=256)
def _opcodes(original: str, current: str) -> tuple[tuple[str, int, int, int, int], ...]:
    return tuple(
        (o.tag, o.src_start, o.src_end, o.dest_start, o.dest_end)
        for o in Levenshtein.opcodes(original, current)
    )


def _moved(original: str, current: str, start: int, end: int) -> tuple[int, int]:
    new_start, new_end = start, end
    for tag, a, b, c, d in _opcodes(original, current):
        if a <= start < b:
            new_start = c + (start - a) if tag == "equal" else c
        if a < end <= b:
            new_end = c + (end - a) if tag == "equal" else d
    return new_start, max(new_end, new_start + 1)
