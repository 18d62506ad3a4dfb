"""Inverse document frequencies of words."""

import math
from functools import cache, lru_cache
from pathlib import Path

from pipeline.backends.compact.text.words import Word, weight

TABLE = Path(__file__).parent / "idf.txt"
"""Stems by document frequency, written by research/idf.py."""


@lru_cache(maxsize=65536)
def idf(stem: str) -> float:
    """Return -ln of the share of texts with this stem; unknown stems have the maximum.

    >>> idf("the") < idf("city") < idf("xylograph")
    True
    """
    known = _table()
    return known.get(stem, known[""])


def term_weight(word: Word) -> float:
    """Weight a word in shares of words."""
    return weight(word.text) * math.sqrt(idf(word.stem))


@cache
def _table() -> dict[str, float]:
    """Each line has an idf in tenths and its stems; "" is the default."""
    table: dict[str, float] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        tenths, *stems = line.split()
        table.update(dict.fromkeys(stems or [""], int(tenths) / 10))
    return table
