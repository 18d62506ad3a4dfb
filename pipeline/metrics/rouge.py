"""ROUGE-Lsum: how much of a reference's wording a text keeps, in order (Lin 2004).

Words are lower case, those above three letters stemmed after Porter, as ALCE has it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

_WORD = re.compile(r"[a-z0-9]+")
_UNSTEMMED = 3
"""Letters; a word that is not longer stays."""
MOST_PAIRS = 25_000_000
"""Of a word with a word: two texts of 5,000 words, some seconds. Beyond it, memory ends first."""


def rouge_lsum(text: Sequence[str], reference: Sequence[str]) -> float | None:
    """The F1 of words in the longest common subsequences, 0.0 to 1.0; both given as sentences.

    Each sentence of the reference is matched with all of the text's, and what any of them shares
    with it in order counts, each word as often as both texts have it. None where the reference
    has no word, and beyond `MOST_PAIRS`.

    >>> rouge_lsum(["The cat sat.", "It slept."], ["The cats slept."])
    0.75
    """
    said, wanted = [_words(each) for each in text], [_words(each) for each in reference]
    n, m = sum(map(len, said)), sum(map(len, wanted))
    if not m or n * m > MOST_PAIRS:
        return None
    left = Counter(word for each in said for word in each)
    left &= Counter(word for each in wanted for word in each)
    hits = 0
    for sentence in wanted:
        places = {place for each in said for place in _common_places(sentence, each)}
        for place in sorted(places):
            if left[sentence[place]] > 0:
                left[sentence[place]] -= 1
                hits += 1
    return 2 * hits / (n + m)


def _common_places(wanted: Sequence[str], said: Sequence[str]) -> list[int]:
    """The places in `wanted` of a longest subsequence of both, last place first.

    Where several are as long, it is the one that Google's `rouge_score` takes.
    """
    rows = [[0] * (len(said) + 1)]
    for word in wanted:
        above, row = rows[-1], [0]
        for j, other in enumerate(said):
            row.append(above[j] + 1 if word == other else max(above[j + 1], row[j]))
        rows.append(row)
    i, j, places = len(wanted), len(said), []
    while i and j:
        if wanted[i - 1] == said[j - 1]:
            i, j = i - 1, j - 1
            places.append(i)
        elif rows[i][j - 1] > rows[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return places


def _words(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text.lower())]


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("porter")


def _stem(word: str) -> str:
    return word if len(word) <= _UNSTEMMED else str(_stemmer().stemWord(word))
