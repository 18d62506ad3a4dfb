"""How much a word tells: common ones little, rare ones, numbers and names much."""

import math
from functools import cache, lru_cache
from pathlib import Path

from pipeline.backends.compact.text.words import Word, weight

TABLE = Path(__file__).parent / "idf.txt"
"""Stems by how many texts hold one, written by research/idf.py."""


@lru_cache(maxsize=65536)
def idf(stem: str) -> float:
    """-ln of the share of texts that hold a word of this stem; that of the rarest for others.

    >>> rarity("the") < rarity("city") < rarity("xylograph")
    True
    """
    known = _table()
    return known.get(stem, known[""])


def term_weight(word: Word) -> float:
    """What a word counts in a weighted share of words."""
    return weight(word.text) * math.sqrt(idf(word.stem))


@cache
def _table() -> dict[str, float]:
    """Each line of the file is a rarity in tenths and the stems that have it; "" is the rest."""
    table: dict[str, float] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        tenths, *stems = line.split()
        table.update(dict.fromkeys(stems or [""], int(tenths) / 10))
    return table
