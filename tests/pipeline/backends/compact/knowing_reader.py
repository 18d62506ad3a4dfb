"""A mill, evidence about it, and a reader that knows which sentences are sound."""

from collections.abc import Sequence

from pipeline.backends.compact.reader.results import NliProbabilities, PointerQuery, Read
from pipeline.backends.compact.text.spans import CITATION
from pipeline.backends.compact.text.words import words
from pipeline.rarr.types import Evidence
from pipeline.text.spans import Span

MILL = (
    "Hart Mill is a corn mill on the River Ribble near Preston. It was built by Otto Hart in "
    "1852 and has 12 windows. The mill burned down on 9 May 1932."
)


def evidence(text: str = MILL, title: str = "Hart Mill") -> Evidence:
    return Evidence(text=text, title=title, url="", document_id="d", query="", relevance=1.0)


def span_of(text: str, words: str) -> Span:
    """The first place of these words."""
    at = text.index(words)
    return Span(start=at, end=at + len(words))


class Known:
    """Where the premise answers, for one question."""

    def __init__(self, position: tuple[int, int] | None) -> None:
        self._position = position
        self.none = -4.0 if position else 4.0

    def score(self, start: int, end: int) -> float:
        return 4.0 if (start, end) == self._position else -4.0

    def best(self, longest: int = 12) -> tuple[int, int, float] | None:
        return (*self._position, 4.0) if self._position else (0, 1, -4.0)


class KnowingReader:
    """Entails the sound sentences alone, and answers a masked copy of one with what it hides."""

    def __init__(self, *sound: str) -> None:
        self._sound = [CITATION.sub(lambda match: " " * len(match.group()), each) for each in sound]
        self.received = 0
        """How many sentences were read."""

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Read]:
        self.received += len(pairs)
        return [self._read(hypothesis) for _, hypothesis in pairs]

    def _read(self, text: str) -> Read:
        message = text in self._sound
        known = {word.text for sound in self._sound for word in words(sound)}
        return Read(
            verdict=NliProbabilities(
                entailment=0.97 if message else 0.05,
                neutral=0.02 if message else 0.05,
                contradiction=0.01 if message else 0.9,
            ),
            doubts=tuple((w.start, w.end, 0.02 if w.text in known else 0.95) for w in words(text)),
        )

    def point(self, asks: Sequence[PointerQuery]) -> list[Known]:
        return [Known(self._position(ask)) for ask in asks]

    def _position(self, ask: PointerQuery) -> tuple[int, int] | None:
        head, tail = ask.text[: ask.start], ask.text[ask.end :]
        for sound in self._sound:
            if sound.startswith(head) and sound.endswith(tail):
                answer = sound[len(head) : len(sound) - len(tail)]
                at = ask.premise.find(answer)
                return (at, at + len(answer)) if at >= 0 else None
        return None
