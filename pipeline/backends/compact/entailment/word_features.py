"""Features from words: the weighted share, 0.0 to 1.0, of a sentence in the evidence."""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from pipeline.backends.compact.coreference.referents import subjects_of
from pipeline.backends.compact.text.spans import CITATION, Mention, mentions
from pipeline.backends.compact.text.words import NEGATIONS, Word, normalize, stems_of, weight, words
from pipeline.backends.compact.values import contains_value
from pipeline.text.sentences import split_sentences

Key = TypeVar("Key", str, tuple[str, str])
TABLE = Path(__file__).parent / "idf.txt"
"""Stems by document frequency, written by research/idf.py."""
WINDOW_SENTENCES = 3
"""Sentences of a window."""
MOST_MISSING = 3
"""Limit of counts."""
FEATURES = (
    "whole",  # share of content words
    "near",  # in the best window
    "two",  # in the best two sentences
    "one",  # in the best sentence
    "pairs",  # share of pairs of neighbours
    "pairs_one",  # in the best sentence
    "order",  # share in the same order around that sentence
    "numbers",  # share of numbers, dates and years
    "names",  # share of names and titles
    "missing_numbers",  # count, up to MOST_MISSING
    "missing_names",
    "negated",  # 1 if only one of sentence and best sentence is negated
    "other_subject",  # 1 if the evidence lacks the subject's name
)


@lru_cache(maxsize=65536)
def idf(stem: str) -> float:
    """Return -ln of the share of texts with this stem; unknown stems have the maximum.

    >>> idf("the") < idf("city") < idf("xylograph")
    True
    """
    known = _table()
    return known.get(stem, known[""])


def term_weight(word: Word) -> float:
    return weight(word.text) * math.sqrt(idf(word.stem))


@cache
def _table() -> dict[str, float]:
    """Each line has an idf in tenths and its stems; "" is the default."""
    table: dict[str, float] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        tenths, *stems = line.split()
        table.update(dict.fromkeys(stems or [""], int(tenths) / 10))
    return table


def word_features(premise: str, hypothesis: str) -> tuple[float, ...]:
    """Return a value for each of `FEATURES`; all 0.0 if there is nothing to compare."""
    parts = _hypothesis(hypothesis)
    known = _premise(premise)
    if not parts.worths or not known.places:
        return (0.0,) * len(FEATURES)
    total = sum(parts.worths.values())
    by_sentence: dict[int, float] = defaultdict(float)
    by_window: dict[int, float] = defaultdict(float)
    for stem, value in parts.worths.items():
        places = known.places.get(stem, ())
        for index in places:
            by_sentence[index] += value
        for begin in {index - back for index in places for back in range(WINDOW_SENTENCES)}:
            by_window[begin] += value
    best, one = min(by_sentence.items(), key=lambda item: (-item[1], item[0]), default=(0, 0.0))
    rest: dict[int, float] = defaultdict(float)
    for stem, value in parts.worths.items():
        places = known.places.get(stem, ())
        if best not in places:
            for index in places:
                rest[index] += value
    numbers = [contains_value(m, premise) for m in parts.numbers]
    names = [contains_value(m, premise) for m in parts.names]
    sentence_pairs = frozenset(pairwise(known.sentences[best]))
    around = [
        stem
        for index in range(max(0, best - 1), min(len(known.sentences), best + 2))
        for stem in known.sentences[index]
        if stem in parts.worths
    ]
    return (
        _weighted_share(parts.worths, known.places),
        max(by_window.values(), default=0.0) / total,
        (one + max(rest.values(), default=0.0)) / total,
        one / total,
        _weighted_share(parts.pairs, known.pairs),
        _weighted_share(parts.pairs, sentence_pairs),
        _in_order([word.stem for word in parts.content], parts.worths, around),
        _share(numbers),
        _share(names),
        float(min(numbers.count(False), MOST_MISSING)),
        float(min(names.count(False), MOST_MISSING)),
        float(parts.negated != known.negated[best]),
        float(parts.subject is not None and not contains_value(parts.subject, premise)),
    )


def shares_of_windows(
    premise: str, hypothesis: str, windows: Sequence[tuple[int, int]]
) -> list[float]:
    """Return the share of the hypothesis's content words in each window (characters)."""
    worths = _hypothesis(hypothesis).worths
    return [_weighted_share(worths, stems_of(premise[start:end])) for start, end in windows]


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    content: tuple[Word, ...]
    worths: dict[str, float]
    """By stem."""
    pairs: dict[tuple[str, str], float]
    """Weights of neighbouring stems."""
    numbers: tuple[Mention, ...]
    names: tuple[Mention, ...]
    negated: bool
    subject: Mention | None


@dataclass(frozen=True, slots=True)
class _Premise:
    sentences: tuple[tuple[str, ...], ...]
    """The stems of each sentence."""
    places: dict[str, tuple[int, ...]]
    """The sentences with a stem."""
    pairs: frozenset[tuple[str, str]]
    negated: tuple[bool, ...]


@lru_cache(maxsize=2048)
def _hypothesis(text: str) -> _Hypothesis:
    text = without_citations(text)
    text_words = words(text)
    content = tuple(w for w in text_words if w.is_content) or text_words
    worths: dict[str, float] = {}
    for word in content:
        worths[word.stem] = max(worths.get(word.stem, 0.0), term_weight(word))
    spans = mentions(text)
    return _Hypothesis(
        content=content,
        worths=worths,
        pairs={(a.stem, b.stem): idf(a.stem) + idf(b.stem) for a, b in pairwise(text_words)},
        numbers=tuple(m for m in spans if m.kind.is_numeric),
        names=tuple(m for m in spans if not m.kind.is_numeric),
        negated=_negated(text_words),
        subject=next((each.mention for each in subjects_of(text)), None),
    )


@lru_cache(maxsize=1024)
def _premise(text: str) -> _Premise:
    text_words = words(text)
    starts = [word.start for word in text_words]
    cuts = [
        (bisect_left(starts, each.start), bisect_left(starts, each.end))
        for each in split_sentences(text)
    ]
    places: dict[str, list[int]] = defaultdict(list)
    for number, (first, last) in enumerate(cuts):
        for stem in {word.stem for word in text_words[first:last]}:
            places[stem].append(number)
    return _Premise(
        sentences=tuple(tuple(w.stem for w in text_words[first:last]) for first, last in cuts),
        places={stem: tuple(each) for stem, each in places.items()},
        pairs=frozenset((a.stem, b.stem) for a, b in pairwise(text_words)),
        negated=tuple(_negated(text_words[first:last]) for first, last in cuts),
    )


def without_citations(text: str) -> str:
    """Remove citations and the spaces before them.

    >>> without_citations("It is so [1][2].")
    'It is so.'
    """
    bare = CITATION.sub("", text)
    return " ".join(bare.split()).replace(" .", ".").replace(" ,", ",") if bare != text else text


def _negated(sentence: Sequence[Word]) -> bool:
    return any(
        normalize(w.text) in NEGATIONS or w.text.lower().endswith(("n't", "n’t")) for w in sentence
    )


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 1.0


def _weighted_share(weights: Mapping[Key, float], known: Container[Key]) -> float:
    total = sum(weights.values())
    return sum(weight for key, weight in weights.items() if key in known) / total if total else 0.0


def _in_order(stems: Sequence[str], worths: dict[str, float], around: Sequence[str]) -> float:
    total = math.fsum(worths[stem] for stem in stems)
    if not total:
        return 0.0
    before = [0.0] * (len(around) + 1)
    for stem in stems:
        value = worths[stem]
        now = [0.0]
        for at, other in enumerate(around):
            now.append(before[at] + value if other == stem else max(now[at], before[at + 1]))
        before = now
    return before[-1] / total
