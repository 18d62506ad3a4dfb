"""NLI(e, s) by a logistic regression over `word_features` and `reader_features`.

Calibrated on the dev data (research/entailment_fit.py). Then the agreement gate checks each number,
date and name of an entailed sentence: what revision would replace is not attributed.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

from pipeline.backends.compact.entailment import reader_features, word_features
from pipeline.backends.compact.reader.model import Reader, shipped
from pipeline.backends.compact.revision.agreement import CompactAgreement
from pipeline.backends.compact.text.words import normalize, words
from pipeline.rarr.types import Agreement, EntailmentScore, Evidence, Passage, Verdict
from pipeline.text.sentences import split_sentences

FEATURES = (*word_features.FEATURES, *reader_features.FEATURES)
COEFFICIENTS: dict[str, dict[str, float]] = json.loads(
    (Path(__file__).parent / "entailment" / "coefficients.json").read_text("utf-8")
)
"""Weights of features for "entailed" and "contradicted", "" being the bias."""
WORD_FOR_WORD = EntailmentScore(entailed=0.98, contradicted=0.0)
"""For a premise with the very sentence, which the next may deny."""
DENIED = EntailmentScore(entailed=0.02, contradicted=0.98)
"""For a premise that denies the very sentence; see `is_denied`."""
NOTHING = EntailmentScore(entailed=0.0, contradicted=0.0)
"""For a premise or sentence without words."""
SENTENCES = 5
WORDS = 100
"""A window has `SENTENCES` sentences, more if they are short lines."""
MOST_READ = 3
"""Windows read per premise."""
CHECKED_FROM = 0.5
"""Least probability of entailment of a sentence whose values are checked."""
_DENIAL = r"\b(?:no|(?:false|untrue|wrong|incorrect|not true|not the case|den(?:y|ies|ied)) that)"


def weighed(features: Mapping[str, float]) -> EntailmentScore:
    """Return the probabilities of entailment and, of the rest, of contradiction."""
    entailed = logistic(COEFFICIENTS["entailed"], features)
    contradicted = (1 - entailed) * logistic(COEFFICIENTS["contradicted"], features)
    return EntailmentScore(entailed=entailed, contradicted=contradicted)


def logistic(coefficients: Mapping[str, float], features: Mapping[str, float]) -> float:
    """1 / (1 + e^-z) of the weighted sum z of features; "" is the bias."""
    value = math.fsum(
        weight * features[name] if name else weight for name, weight in coefficients.items()
    )
    return 1 / (1 + math.exp(min(-value, 700)))


class CompactEntailment:
    """Scores entailment and contradiction; long premises are read in windows.

    Raises `BadConfig` without the reader's weights.
    """

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader = reader

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[EntailmentScore]:
        bare = [
            (premise, word_features.without_citations(hypothesis)) for premise, hypothesis in pairs
        ]
        scores: dict[tuple[str, str], EntailmentScore] = {}
        for premise, hypothesis in dict.fromkeys(bare):
            if not words(premise) or not words(hypothesis):
                scores[premise, hypothesis] = NOTHING
            elif is_word_for_word(premise, hypothesis):
                scores[premise, hypothesis] = WORD_FOR_WORD
            elif is_denied(premise, hypothesis):
                scores[premise, hypothesis] = DENIED
        unsure = [pair for pair in dict.fromkeys(bare) if pair not in scores]
        if unsure:
            reader = self._reader or shipped()
            for pair, features in zip(unsure, features_of(unsure, reader), strict=True):
                scores[pair] = score = weighed(features)
                if score.entailed >= CHECKED_FROM and (reason := other_value(*pair, reader)):
                    scores[pair] = doubted(score, reason)
        return [scores[pair] for pair in bare]


def doubted(score: EntailmentScore, reason: str) -> EntailmentScore:
    """Turn half of the entailment into contradiction."""
    half = score.entailed / 2
    contradicted = (score.contradicted or 0.0) + half
    return EntailmentScore(entailed=half, contradicted=contradicted, reason=reason)


def other_value(premise: str, hypothesis: str, reader: Reader) -> str:
    """Return the gate's reason if the premise contradicts a value of the hypothesis, else "".

    A value that any window has is not contradicted by the others.
    """
    passage = Passage(id="", text=hypothesis)
    gate = CompactAgreement(reader)
    [windows] = windows_to_read(reader, [(premise, hypothesis)])
    snippets = [
        Evidence(text=window, title="", url="", document_id="", query="", relevance=0.0)
        for window, _ in windows
    ]
    by_window = [gate.judge_values(passage, hypothesis, each) for each in snippets]
    agreements: tuple[Agreement, ...]
    for agreements in zip(*by_window, strict=True):
        reasons = {each.verdict: each.reason for each in agreements}
        if Verdict.DISAGREES in reasons and Verdict.AGREES not in reasons:
            return reasons[Verdict.DISAGREES]
    return ""


def features_of(pairs: Sequence[tuple[str, str]], reader: Reader) -> list[dict[str, float]]:
    """Return `FEATURES` of each (premise, uncited hypothesis); both need words."""
    windows = windows_to_read(reader, pairs)
    reads = iter(reader.read([each for some in windows for each in some]))
    rows = []
    for (premise, hypothesis), some in zip(pairs, windows, strict=True):
        of_words = word_features.word_features(premise, hypothesis)
        read = reader_features.reader_features(hypothesis, list(islice(reads, len(some))))
        rows.append(dict(zip(FEATURES, (*of_words, *read), strict=True)))
    return rows


def is_word_for_word(premise: str, hypothesis: str) -> bool:
    """Check whether whole sentences of the premise are the hypothesis, except for citations.

    >>> is_word_for_word("It is false that the Severn is long.", "The Severn is long.")
    False
    """
    wanted = _sentences_in_words(hypothesis)
    return bool(wanted.strip()) and wanted in _sentences_in_words(premise)


def is_denied(premise: str, hypothesis: str) -> bool:
    """Check whether a sentence of the premise is a denial of the hypothesis and no more.

    >>> is_denied("Rivers differ, but no rivers are long.", "Rivers are long.")
    True
    """
    wanted = _sentences_in_words(hypothesis).strip()
    denied = rf"{_DENIAL} {re.escape(wanted)}$"
    return bool(wanted) and bool(re.search(denied, _sentences_in_words(premise), re.MULTILINE))


@lru_cache(maxsize=1024)
def _sentences_in_words(text: str) -> str:
    """Return normalized words, a line per sentence."""
    bare = (word_features.without_citations(each.of(text)) for each in split_sentences(text))
    rows = (" ".join(normalize(word.text) for word in words(sentence)) for sentence in bare)
    return "\n" + "".join(f"{row}\n" for row in rows if row)


def windows_to_read(
    reader: Reader, pairs: Sequence[tuple[str, str]]
) -> list[list[tuple[str, str]]]:
    """Return up to `MOST_READ` (window, hypothesis) pairs of each pair, in page order.

    Those with most of the hypothesis's words.
    """
    windows = {}
    for premise in dict.fromkeys(premise for premise, _ in pairs):
        size = max(SENTENCES, sentences_of_words(premise))
        step = max(1, round(size * 0.6))
        windows[premise] = reader.windows(premise, sentences=size, step=step)
    chosen = []
    for premise, hypothesis in pairs:
        windows_of_premise = windows[premise]
        if len(windows_of_premise) > MOST_READ:
            shares = word_features.shares_of_windows(premise, hypothesis, windows_of_premise)
            best = sorted(range(len(windows_of_premise)), key=lambda i: (-shares[i], i))[:MOST_READ]
            windows_of_premise = [windows_of_premise[i] for i in sorted(best)]
        chosen.append([(premise[start:end], hypothesis) for start, end in windows_of_premise])
    return chosen


def sentences_of_words(premise: str) -> int:
    """Return how many of the premise's sentences have `WORDS` words on average."""
    count = len(words(premise))
    return round(WORDS * len(split_sentences(premise)) / count) if count else 0
