"""Features from the trained reader: its verdict, and unsupported words."""

import math
from collections.abc import Sequence

from pipeline.backends.compact.entailment.word_features import term_weight
from pipeline.backends.compact.reader.results import Read
from pipeline.backends.compact.text.spans import mentions
from pipeline.backends.compact.text.words import words

FEATURES = (
    "entailed",  # log odds of the best window's entailment
    "over_neutral",  # the same against neutral
    "over_contradiction",  # the same against contradiction
    "refuting",  # the same if negative, for a single window; overlap must not outvote it
    "doubt",  # weighted mean of content words, log odds
    "worst_doubt",  # maximum of content words
    "value_doubt",  # maximum in numbers, dates and names, else `doubt`
    "refuted",  # contradiction against neutral in the least neutral window
)
MAX_LOG_ODDS = 6.0
"""Features are clamped to this."""


def reader_features(hypothesis: str, reads: Sequence[Read]) -> tuple[float, ...]:
    """Return a value for each of `FEATURES`; `reads` are of the hypothesis and a window each.

    A word has the least doubt of all windows.
    """
    best = max((read.verdict for read in reads), key=lambda verdict: verdict.entailment)
    telling = min((read.verdict for read in reads), key=lambda verdict: verdict.neutral)
    doubts: dict[int, float] = {}
    for read in reads:
        for start, _, doubt in read.doubts:
            doubts[start] = min(doubt, doubts.get(start, 1.0))
    content = [w for w in words(hypothesis) if w.is_content] or words(hypothesis)
    weighed = [(term_weight(w), doubts[w.start]) for w in content if w.start in doubts]
    total = sum(value for value, _ in weighed)
    mean = sum(value * doubt for value, doubt in weighed) / total if total else 0.5
    worst = max((doubt for _, doubt in weighed), default=0.5)
    spans = mentions(hypothesis)
    values = [doubt for at, doubt in doubts.items() if any(m.start <= at < m.end for m in spans)]
    over_contradiction = _odds_of(best.entailment, best.contradiction)
    return (
        clamp(log_odds(best.entailment)),
        _odds_of(best.entailment, best.neutral),
        over_contradiction,
        min(over_contradiction, 0.0) if len(reads) == 1 else 0.0,
        clamp(log_odds(mean)),
        clamp(log_odds(worst)),
        clamp(log_odds(max(values) if values else mean)),
        _odds_of(telling.contradiction, telling.neutral),
    )


def log_odds(probability: float) -> float:
    """ln(p / (1 - p)), at most 14 from 0."""
    inside = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(inside / (1 - inside))


def _odds_of(one: float, other: float) -> float:
    return clamp(math.log((one + 1e-6) / (other + 1e-6)))


def clamp(value: float) -> float:
    return min(max(value, -MAX_LOG_ODDS), MAX_LOG_ODDS)
