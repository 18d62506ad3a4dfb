"""ROUGE-Lsum (Lin 2004), with words lower-cased and Porter-stemmed as in ALCE."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

_WORD = re.compile(r"[a-z0-9]+")
_UNSTEMMED = 3
"""Words of so few letters are not stemmed."""
MOST_PAIRS = 25_000_000
"""Of words: two texts of 5,000 words take seconds; more would exhaust memory."""


def rouge_lsum(
    text: Sequence[str], reference: Sequence[str], stem: Callable[[str], str] | None = None
) -> float | None:
    """The F1 of words in longest common subsequences, 0.0 to 1.0; both texts are sentences.

    Each sentence of the reference is matched with all of the text's; a word counts as often as
    both texts have it. None for a reference without words and beyond `MOST_PAIRS`. `stem` replaces
    Porter's original algorithm.
    """
    stem = stem or _stemmer().stemWord
    given, wanted = ([_words(each, stem) for each in texts] for texts in (text, reference))
    n, m = sum(map(len, given)), sum(map(len, wanted))
    if not m or n * m > MOST_PAIRS:
        return None
    left = Counter(word for each in given for word in each)
    left &= Counter(word for each in wanted for word in each)
    hits = 0
    for sentence in wanted:
        common = {index for each in given for index in _common(sentence, each)}
        for index in sorted(common):
            if left[sentence[index]] > 0:
                left[sentence[index]] -= 1
                hits += 1
    return 2 * hits / (n + m)


def _common(wanted: Sequence[str], given: Sequence[str]) -> list[int]:
    """The indexes in `wanted` of a longest common subsequence, the last first.

    Of several, the one that Google's `rouge_score` takes.
    """
    rows = [[0] * (len(given) + 1)]
    for word in wanted:
        above, row = rows[-1], [0]
        for j, other in enumerate(given):
            row.append(above[j] + 1 if word == other else max(above[j + 1], row[j]))
        rows.append(row)
    i, j, indexes = len(wanted), len(given), []
    while i and j:
        if wanted[i - 1] == given[j - 1]:
            i, j = i - 1, j - 1
            indexes.append(i)
        elif rows[i][j - 1] > rows[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return indexes


def _words(text: str, stem: Callable[[str], str]) -> list[str]:
    words = _WORD.findall(text.lower())
    return [stem(word) if len(word) > _UNSTEMMED else word for word in words]


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("porter")
