"""Which parts of a long premise the trained reader is shown beside a sentence."""

from collections.abc import Sequence

from pipeline.backends.compact.entailment.word_features import shares_of_windows
from pipeline.backends.compact.reader.model import Reader
from pipeline.backends.compact.text.sentences import sentences_of
from pipeline.backends.compact.text.words import words

SENTENCES = 5
WORDS = 100
"""A window has `SENTENCES` sentences, or more where they are lines of a few words."""
MOST = 3
"""Windows that are read of one premise; a whole page has a hundred."""


def windows_to_read(
    reader: Reader, pairs: Sequence[tuple[str, str]]
) -> list[list[tuple[str, str]]]:
    """For each (premise, hypothesis) the (window, hypothesis) pairs to read, in page order.

    The windows that hold most of the hypothesis's words, `MOST` at most; none where the premise
    has no words.
    """
    windows = {premise: _windows(reader, premise) for premise in dict.fromkeys(p for p, _ in pairs)}
    found = []
    for premise, hypothesis in pairs:
        places = windows[premise]
        if len(places) > MOST:
            shares = shares_of_windows(premise, hypothesis, places)
            best = sorted(range(len(places)), key=lambda i: (-shares[i], i))[:MOST]
            places = [places[i] for i in sorted(best)]
        found.append([(premise[start:end], hypothesis) for start, end in places])
    return found


def _windows(reader: Reader, premise: str) -> list[tuple[int, int]]:
    size = max(SENTENCES, sentences_of_words(premise))
    return reader.windows(premise, sentences=size, step=max(1, round(size * 0.6)))


def sentences_of_words(premise: str) -> int:
    """How many of the premise's sentences make `WORDS` words, on average; 0 without a word."""
    found = len(words(premise))
    return round(WORDS * len(sentences_of(premise)) / found) if found else 0
