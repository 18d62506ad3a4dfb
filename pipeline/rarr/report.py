"""The attribution report (section 3.3): at most M snippets that cover the queries best.

As in the paper, all sets are tried, unless there are too many. Scores are compared as integers,
whose sums are exact, so that rounding decides no tie.
"""

import math
from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pipeline.rarr.checked_calls import score_relevance
from pipeline.rarr.configuration import ReportFill
from pipeline.rarr.ports import Relevance
from pipeline.rarr.types import Evidence, Query, Report, distinct

Integers = NDArray[np.int64]

EXHAUSTIVE_LIMIT = 2_000_000_000
"""Largest (number of sets) * (number of queries) to try all sets, which takes a few seconds.

All sets of 5 out of 40 snippets for 40 queries are 30 million.
"""


def select_report(
    queries: Sequence[Query],
    evidence: Sequence[Sequence[Evidence]],
    *,
    relevance: Relevance,
    size: int,
    fill: ReportFill = "smallest",
    edited_from: Collection[Evidence] = (),
) -> Report:
    """Return the non-empty set of at most `size` snippets that maximizes equation 5.

    `evidence` is parallel to `queries`. Ties go to sets with more snippets of `edited_from`, then
    to the smallest. "full" gives `size` different texts if there are as many; ties go to the first
    in alphabetical order, as in the authors' program. Raises `UnreadableReply` for scores that are
    not finite.
    """
    candidates = distinct(evidence)
    if not candidates:
        return Report()
    if fill == "full":
        by_text = {each.text: each for each in reversed(candidates)}
        candidates = tuple(by_text[text] for text in sorted(by_text))
        edited_from = ()
    texts = [query.text for query in queries]
    pairs = [(text, candidate.titled_text) for text in texts for candidate in candidates]
    flat = score_relevance(pairs, relevance=relevance)
    scores = np.array(flat, dtype=np.float64).reshape(len(texts), len(candidates)).T

    edited = {snippet.identity for snippet in edited_from}
    preferred = [index for index, each in enumerate(candidates) if each.identity in edited]
    fewest = size if fill == "full" else 1
    chosen, is_exact = best_cover(scores, size=size, fewest=fewest, preferred=preferred)
    chosen_scores = scores[list(chosen)]
    best_position = chosen_scores.argmax(axis=0)  # per query; the first of equals
    return Report(
        evidence=tuple(candidates[index] for index in chosen),
        coverage=math.fsum(chosen_scores.max(axis=0).tolist()),
        covers=tuple(
            tuple(text for text, best in zip(texts, best_position, strict=True) if best == position)
            for position in range(len(chosen))
        ),
        is_exact=is_exact,
    )


def best_cover(
    scores: NDArray[np.float64],
    *,
    size: int,
    fewest: int = 1,
    preferred: Sequence[int] = (),
    exhaustive_limit: int = EXHAUSTIVE_LIMIT,
) -> tuple[tuple[int, ...], bool]:
    """Return `fewest` to `size` rows whose column maxima sum highest; True if all sets were tried.

    `scores`, finite, has a row per candidate and a column per query. Ties go to more `preferred`
    rows, then fewer rows, then lexicographic order. If sets times queries exceed
    `exhaustive_limit`, a greedy search chooses without preference: with scores counted from each
    query's minimum, it reaches at least 1 - 1/e of the best coverage.
    """
    table = _to_integers(scores)
    preference = np.isin(np.arange(len(table)), preferred).astype(np.int64)
    rows = _undominated(table, preference) if fewest == 1 else list(range(len(table)))
    table = np.ascontiguousarray(table[rows])
    size = min(size, len(rows))
    counts = range(min(fewest, size), size + 1)
    sets = sum(math.comb(len(rows), count) for count in counts)
    is_exact = sets * table.shape[1] <= exhaustive_limit
    chosen = (
        _search_exhaustively(table, preference[rows], counts)
        if is_exact
        else _search_greedily(table, counts)
    )
    return tuple(rows[index] for index in chosen), is_exact


def _to_integers(scores: NDArray[np.float64]) -> Integers:
    """Multiply by a power of 2, round, and subtract each query's minimum.

    The minimum is subtracted from integers, as differences of floats are rounded, which could
    make equal coverages unequal. The coverage of any set is less than 2**62.
    """
    _, exponent = math.frexp(float(np.abs(scores).max()))  # the largest is < 2**exponent
    # Minus its query's minimum, a score is < 2 ** (1 + exponent + bits); one per query is summed.
    bits = 61 - exponent - math.frexp(scores.shape[1])[1]
    integers: Integers = np.rint(np.ldexp(scores, bits)).astype(np.int64)
    differences: Integers = integers - integers.min(axis=0)
    return differences


def _undominated(table: Integers, preference: Integers) -> list[int]:
    """Return the rows that no earlier one equals or exceeds in every column.

    All preferred rows remain, since they may decide a tie.
    """
    remaining: list[int] = []
    for row in range(len(table)):
        is_dominated = (table[remaining] >= table[row]).all(axis=1).any()
        if preference[row] or not is_dominated:
            remaining.append(row)
    return remaining


def _search_exhaustively(table: Integers, preference: Integers, counts: range) -> tuple[int, ...]:
    """Return the best set of so many rows; `preference` is 1 for a preferred row, else 0.

    Smaller sets come first, then lexicographic order, and only a better set replaces the best. A
    loop chooses the leading rows of a set; NumPy compares all pairs of last two rows at once.
    """
    best: tuple[int, ...] = ()
    best_rank = -1, -1
    if 1 in counts:
        single = _first_best(table.sum(axis=1), preference)
        best, best_rank = (single,), (int(table[single].sum()), int(preference[single]))
    first, second = np.triu_indices(len(table), k=1)  # all pairs, in lexicographic order
    pair_maxima = np.maximum(table[first], table[second])
    pair_preference = preference[first] + preference[second]
    first_pair_after = np.searchsorted(first, np.arange(len(table)), side="right")  # by row
    for count in range(max(2, counts.start), counts.stop):
        for leading in combinations(range(len(table) - 2), count - 2):
            begin = int(first_pair_after[leading[-1]]) if leading else 0
            maxima = table[list(leading)].max(axis=0, initial=0)
            totals = np.maximum(pair_maxima[begin:], maxima).sum(axis=1)
            highest = int(totals.max())
            if highest < best_rank[0]:
                continue
            pair = begin + _first_best(totals, pair_preference[begin:])
            members = (*leading, int(first[pair]), int(second[pair]))
            rank = highest, int(preference[list(members)].sum())
            if rank > best_rank:
                best, best_rank = members, rank
    return best


def _first_best(totals: Integers, preference: Integers) -> int:
    """Return the index of the highest total; ties go to preference, then to the first."""
    return int(np.where(totals == totals.max(), preference, -1).argmax())


def _search_greedily(table: Integers, counts: range) -> tuple[int, ...]:
    """Add the row that raises the sum of maxima most, until none raises it."""
    chosen: list[int] = []
    maxima = np.zeros(table.shape[1], dtype=np.int64)
    while len(chosen) < counts[-1]:
        totals = np.maximum(table, maxima).sum(axis=1)
        totals[chosen] = -1
        best = int(totals.argmax())
        if len(chosen) >= counts.start and totals[best] == maxima.sum():
            break
        chosen.append(best)
        maxima = np.maximum(maxima, table[best])
    return tuple(sorted(chosen))
