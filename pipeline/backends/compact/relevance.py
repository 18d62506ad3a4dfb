"""S_relevance by words: how much of what a query says stands in a snippet, and how close."""

import re
from collections.abc import Sequence
from functools import lru_cache

from pipeline.backends.compact.text.numbers import NUMERAL
from pipeline.backends.compact.text.words import WORD, Word, clauses, weight, words, words_in

_ASKING = words_in(
    """year date month decade number percentage order first second title money name nationality
    language organisation place true"""
)
# "Old" is a question's own word only after "how"; elsewhere it tells one clock from another.
_AGE = re.compile(r"\bhow old\b|\b(?:what|which) age\b", re.IGNORECASE)
_ASKING_AGE = words_in("old age")
_ANSWERS = (
    (re.compile(r"\b(?:what|which) (?:year|date|decade|month)"), re.compile(r"\b\d{3,4}s?\b")),
    (re.compile(r"\bhow (?:many|much)|what (?:number|percentage)"), re.compile(r"\d")),
    (_AGE, re.compile(r"\b(?:aged?|born|years? old|\d+[- ]years?[- ]old)\b", re.IGNORECASE)),
)
_COUNTED = re.compile(r"\bhow many (?:of \w+ )?(\w+)", re.IGNORECASE)
COUNTED = 0.2
"""What a snippet gains that has a number of the very things that are counted: "six dots"."""


class CompactRelevance:
    """Weighted share of the query's content words in the snippet, 0.0 to about 1.5.

    A third of the score asks that they stand in one sentence; a little is added where the
    snippet has the kind of thing that the query asks for. No corpus statistics: a score means
    the same in every corpus.
    """

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        # A snippet that many queries ask about is read once, however many others come between.
        by_snippet = sorted(range(len(pairs)), key=lambda index: pairs[index][1])
        scores = {index: _score(*pairs[index]) for index in by_snippet}
        return [scores[index] for index in range(len(pairs))]


@lru_cache(maxsize=4096)
def _wanted(query: str) -> tuple[tuple[str, float], ...]:
    best: dict[str, float] = {}
    for word in _asked_words(query):
        best[word.stem] = max(best.get(word.stem, 0.0), weight(word.text))
    return tuple(best.items())


def _asked_words(query: str) -> list[Word]:
    found = [w for w in words(query) if w.is_content]
    asking = _ASKING | _ASKING_AGE if _AGE.search(query) else _ASKING
    kept = [w for w in found if w.text.lower() not in asking]
    return kept or found


@lru_cache(maxsize=4096)
def _offered(snippet: str) -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
    parts = tuple(_stems(snippet[start:end].strip()) for start, end in clauses(snippet))
    return frozenset().union(*parts), parts


@lru_cache(maxsize=8192)
def _stems(clause: str) -> frozenset[str]:
    """The content words of a clause; windows that overlap ask for the same ones again."""
    return frozenset(map(_content_stem, WORD.findall(clause))) - {""}


@lru_cache(maxsize=65536)
def _content_stem(word: str) -> str:
    return next((found.stem for found in words(word) if found.is_content), "")


def _score(query: str, snippet: str) -> float:
    wanted, (everything, parts) = _wanted(query), _offered(snippet)
    total = sum(value for _, value in wanted)
    whole = sum(value for stem, value in wanted if stem in everything)
    if not whole:
        return 0.0
    together = max(
        (sum(value for stem, value in wanted if stem in part) for part in parts), default=0.0
    )
    bonus = sum(
        0.05 for asks, answers in _ANSWERS if asks.search(query) and answers.search(snippet)
    )
    if counted := _COUNTED.search(query):
        bonus += COUNTED * bool(_number_of(counted[1]).search(snippet))
    return whole / total + 0.5 * together / total + bonus


@lru_cache(maxsize=1024)
def _number_of(noun: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,])(?:\d[\d,.]*|{NUMERAL})[ -]{re.escape(noun)}\b", re.IGNORECASE)
