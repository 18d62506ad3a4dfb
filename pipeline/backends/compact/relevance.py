"""S_relevance by words: how many of a query's words a snippet has, and how close."""

import re
from collections.abc import Sequence
from functools import lru_cache

from pipeline.backends.compact.text.numbers import NUMERAL
from pipeline.backends.compact.text.words import Word, coverage, stems_of, weight, word_set, words
from pipeline.text.sentences import split_sentences

_ASKING = word_set(
    """year date month decade number percentage order first second title money name nationality
    language organisation place true"""
)
# "Old" belongs to the question only after "how".
_AGE = re.compile(r"\bhow old\b|\b(?:what|which) age\b", re.IGNORECASE)
_ANSWERS = (
    (
        re.compile(r"\b(?:what|which) (?:year|date|decade|month)", re.IGNORECASE),
        re.compile(r"\b\d{3,4}s?\b"),
    ),
    (
        re.compile(r"\bhow (?:many|much)|what (?:number|percentage)", re.IGNORECASE),
        re.compile(r"\d"),
    ),
    (_AGE, re.compile(r"\b(?:aged?|born|years? old|\d+[- ]years?[- ]old)\b", re.IGNORECASE)),
)
_COUNTED = re.compile(r"\bhow many (?:of \w+ )?(\w+)", re.IGNORECASE)
COUNTED = 0.2
"""Bonus for a number of the very things counted: "six dots"."""


class CompactRelevance:
    """Scores the weighted share of the query's content words in the snippet, 0.0 to about 1.5.

    A third requires one sentence; a bonus rewards the expected type of answer. Corpora do not
    matter.
    """

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        return [_score(query, snippet) for query, snippet in pairs]


@lru_cache(maxsize=4096)
def _wanted(query: str) -> tuple[Word, ...]:
    content = sorted((w for w in words(query) if w.is_content), key=lambda w: weight(w.text))
    by_stem = {w.stem: w for w in content}.values()  # the last has most weight
    question_words = _ASKING | {"old", "age"} if _AGE.search(query) else _ASKING
    return tuple(w for w in by_stem if w.text.lower() not in question_words) or tuple(by_stem)


@lru_cache(maxsize=4096)
def _offered(snippet: str) -> tuple[frozenset[str], ...]:
    return tuple(stems_of(each.of(snippet)) for each in split_sentences(snippet))


def _score(query: str, snippet: str) -> float:
    wanted, parts = _wanted(query), _offered(snippet)
    whole = coverage(wanted, frozenset().union(*parts))
    if not whole:
        return 0.0
    together = max(coverage(wanted, part) for part in parts)
    bonus = 0.05 * sum(bool(a.search(query) and b.search(snippet)) for a, b in _ANSWERS)
    if counted := _COUNTED.search(query):
        number = rf"(?<![\w.,])(?:\d[\d,.]*|{NUMERAL})[ -]{re.escape(counted[1])}\b"
        bonus += COUNTED * bool(re.search(number, snippet, re.IGNORECASE))
    return whole + 0.5 * together + bonus
