"""NLI(e, s) by words: how much of the sentence the evidence holds, numbers and names first.

A logistic rule over a few shares. Its coefficients were fitted on train data only (see
coefficients.py), so 0.5 means "as likely entailed as not" on such data.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from pipeline.backends.compact.alignment import clauses, coverage
from pipeline.backends.compact.coefficients import ENTAILMENT
from pipeline.backends.compact.spans import CITATION, Kind, mentions
from pipeline.backends.compact.topics import subject_of
from pipeline.backends.compact.values import stands_in
from pipeline.backends.compact.words import NEGATIONS, plain, words
from pipeline.rarr.ports import Entailed

WINDOW = 3
"""Sentences of a premise that are read together; the best window counts."""
WORD_FOR_WORD = 0.98
"""For a premise that holds the very sentence; what is left is that it may be quoted or denied."""
SUBJECT_ABSENT = 0.5
"""What is left of the probability where the premise is about somebody else."""
FEATURES = (
    "whole", "together", "best_two", "numbers", "names", "missing_number", "missing_name",
    "pairs", "negation", "length", "plain", "longest_gap",
)  # fmt: skip


class CompactEntailment:
    """Probability that the premise entails the hypothesis. Long premises are read in windows."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Entailed]:
        return [Entailed(entailed=_entailed(premise, hypothesis)) for premise, hypothesis in pairs]


def _entailed(premise: str, hypothesis: str) -> float:
    if is_word_for_word(premise, hypothesis):
        return WORD_FOR_WORD
    share = probability(entailment_features(premise, hypothesis))
    return share * SUBJECT_ABSENT if lacks_subject(premise, hypothesis) else share


def is_word_for_word(premise: str, hypothesis: str) -> bool:
    """Whether the premise holds the hypothesis, whatever the case, marks and citations.

    >>> is_word_for_word("As is known, the Severn is long.", "The Severn is long [1].")
    True
    """
    said = _in_words(hypothesis)
    return bool(said.strip()) and said in _in_words(premise)


@lru_cache(maxsize=1024)
def _in_words(text: str) -> str:
    """The words alone, with a space on each side, so that no word is found inside another."""
    return f" {' '.join(plain(w.text) for w in words(CITATION.sub('', text)))} "


def lacks_subject(premise: str, hypothesis: str) -> bool:
    """Whether the hypothesis opens with a name that the premise does not have.

    >>> lacks_subject("The River Severn is 354 kilometres long.", "The Thames is 354 km long.")
    True
    """
    subject = subject_of(hypothesis)
    return subject is not None and not stands_in(subject, premise)


def probability(features: Sequence[float]) -> float:
    bias, *slopes = ENTAILMENT
    return 1 / (1 + math.exp(-(bias + sum(a * b for a, b in zip(slopes, features, strict=True)))))


@lru_cache(maxsize=1024)
def _premise(
    text: str,
) -> tuple[frozenset[str], tuple[frozenset[str], ...], frozenset[tuple[str, str]], bool]:
    found = [w for w in words(text) if w.is_content]
    parts = tuple(
        frozenset(w.stem for w in found if start <= w.start < end) for start, end in clauses(text)
    )
    rows = words(text)
    pairs = frozenset((a.stem, b.stem) for a, b in pairwise(rows))
    return frozenset(w.stem for w in found), parts, pairs, _negated(text)


def _negated(text: str) -> bool:
    return any(
        plain(w.text) in NEGATIONS or w.text.lower().endswith(("n't", "n’t")) for w in words(text)
    )


def entailment_features(premise: str, hypothesis: str) -> tuple[float, ...]:
    """One value for each of `FEATURES`, about 0.0 to 1.0."""
    hypothesis = CITATION.sub("", hypothesis)
    everything, parts, pairs, _ = _premise(premise)
    rows = words(hypothesis)
    wanted = [w for w in rows if w.is_content]
    if not wanted:
        return (0.0,) * len(FEATURES)
    windows = [
        frozenset().union(*parts[i : i + WINDOW]) for i in range(max(1, len(parts) - WINDOW + 1))
    ]
    together = max((coverage(wanted, window) for window in windows), default=0.0)
    single = max((coverage(wanted, part) for part in parts), default=0.0)
    numbers = [m for m in mentions(hypothesis) if m.kind.is_numeric]
    names = [m for m in mentions(hypothesis) if m.kind in (Kind.NAME, Kind.TITLE)]
    number_hits = [stands_in(m, premise) for m in numbers]
    name_hits = [stands_in(m, premise) for m in names]
    bigrams = [(a.stem, b.stem) for a, b in pairwise(rows)]
    gap = longest = 0
    for word in wanted:
        gap = 0 if word.stem in everything else gap + 1
        longest = max(longest, gap)
    best = max(range(len(parts)), key=lambda i: coverage(wanted, parts[i])) if parts else 0
    near = clauses(premise)[best] if parts else (0, 0)
    return (
        coverage(wanted, everything),
        together,
        single,
        _share(number_hits),
        _share(name_hits),
        float(not all(number_hits)),
        float(not all(name_hits)),
        sum(pair in pairs for pair in bigrams) / len(bigrams) if bigrams else 0.0,
        float(_negated(hypothesis) != _negated(premise[near[0] : near[1]])),
        min(len(wanted), 40) / 40,
        sum(w.stem in everything for w in wanted) / len(wanted),
        min(longest, 6) / 6,
    )


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 1.0
