"""The attribution report (section 3.3): at most M snippets that cover the queries best.

The search is exhaustive, as in the paper, over integers, so that ties are exact.
"""

import math
from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pipeline.rarr.checked_calls import score_relevance
from pipeline.rarr.ports import Relevance
from pipeline.rarr.types import Evidence, Query, Report, distinct

Matrix = NDArray[np.int64]

MAX_SCORES = 2_000_000_000
"""Scores that an exhaustive search may read, a few seconds; above it the search is greedy.
All C(40, 5) sets of 40 queries need 30 million."""


def select_report(
    queries: Sequence[Query],
    evidence: Sequence[Sequence[Evidence]],
    *,
    relevance: Relevance,
    size: int,
    edited_from: Collection[Evidence] = (),
) -> Report:
    """Return the non-empty set of at most `size` snippets that maximizes equation 5.

    `evidence` is parallel to `queries`; `edited_from`, that of kept edits, breaks ties. Raises
    `UnreadableReply` for scores that are not finite.
    """
    candidates = distinct(evidence)
    if not candidates:
        return Report()
    texts = [query.text for query in queries]
    pairs = [(text, candidate.titled) for text in texts for candidate in candidates]
    flat = score_relevance(pairs, relevance=relevance)
    scores = np.array(flat, dtype=np.float64).reshape(len(texts), len(candidates))

    needed = {snippet.identity for snippet in edited_from}
    preferred = [index for index, each in enumerate(candidates) if each.identity in needed]
    chosen, is_exact = best_cover(scores, size=size, preferred=preferred)
    among = scores[:, chosen]
    carriers = among.argmax(axis=1)  # the first of equals
    return Report(
        evidence=tuple(candidates[index] for index in chosen),
        coverage=math.fsum(among.max(axis=1).tolist()),
        covers=tuple(
            tuple(text for text, carrier in zip(texts, carriers, strict=True) if carrier == index)
            for index in range(len(chosen))
        ),
        is_exact=is_exact,
    )


def best_cover(
    scores: NDArray[np.float64],
    *,
    size: int,
    preferred: Sequence[int] = (),
    max_scores: int = MAX_SCORES,
) -> tuple[tuple[int, ...], bool]:
    """Return the `size` or fewer columns whose row maxima sum highest; is that proven?

    `scores`, finite, has a row per query and a column per candidate. Ties go to more `preferred`
    columns, then fewer columns, then lexicographic order. Above `max_scores` the search is greedy,
    then exchanges.
    """
    integers = _to_integers(scores)
    is_preferred = np.isin(np.arange(scores.shape[1]), preferred)
    columns = _undominated(integers, is_preferred)
    table = np.ascontiguousarray(integers[:, columns].T)
    size = min(size, len(columns))
    sets = sum(math.comb(len(columns), count) for count in range(1, size + 1))
    is_exact = sets * len(integers) <= max_scores
    chosen = (
        _search_exhaustively(table, is_preferred[columns].astype(np.int64), size)
        if is_exact
        else _improve_by_exchange(table, _greedy(table, size))
    )
    return tuple(int(columns[index]) for index in chosen), is_exact


def _to_integers(scores: NDArray[np.float64]) -> Matrix:
    """Subtract each row's minimum; the integers' sum fits in 62 bits.

    Subtracting floats would break ties.
    """
    largest = float(np.abs(scores).max())
    if largest == 0.0:
        return np.zeros(scores.shape, dtype=np.int64)
    # Scores minus the minimum are at most twice the largest, so the sum is below 2**62.
    bits = 61 - math.frexp(largest)[1] - math.frexp(len(scores))[1]
    integers: Matrix = np.rint(np.ldexp(scores, bits)).astype(np.int64)
    above: Matrix = integers - integers.min(axis=1, keepdims=True)
    return above


def _undominated(integers: Matrix, is_preferred: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Drop columns that an earlier one equals or exceeds in every row.

    A preferred column stays, since it may decide a tie.
    """
    remaining: list[int] = []
    for column in range(integers.shape[1]):
        beaten = (integers[:, remaining] >= integers[:, column, None]).all(axis=0).any()
        if is_preferred[column] or not beaten:
            remaining.append(column)
    return np.array(remaining, dtype=np.intp)


def _search_exhaustively(table: Matrix, preference: Matrix, size: int) -> tuple[int, ...]:
    """Return the first best set, smallest first; `table` has a row per candidate.

    The last two members are tried at once.
    """
    single = _first_best(table.sum(axis=1), preference)
    best: tuple[int, ...] = (single,)
    best_rank = int(table[single].sum()), int(preference[single])
    first, second = np.triu_indices(len(table), k=1)
    pairs = np.maximum(table[first], table[second])
    pair_preference = preference[first] + preference[second]
    pairs_after = np.searchsorted(first, np.arange(len(table)), side="right")
    for count in range(2, size + 1):
        for others in combinations(range(len(table) - 2), count - 2):
            begin = int(pairs_after[others[-1]]) if others else 0
            covered = table[list(others)].max(axis=0, initial=0)
            totals = np.maximum(pairs[begin:], covered).sum(axis=1)
            if totals.max() < best_rank[0]:
                continue
            index = _first_best(totals, pair_preference[begin:])
            pair = begin + index
            preferred = int(preference[list(others)].sum() + pair_preference[pair])
            if (int(totals[index]), preferred) > best_rank:
                best_rank = int(totals[index]), preferred
                best = (*others, int(first[pair]), int(second[pair]))
    return best


def _first_best(totals: Matrix, preference: Matrix) -> int:
    return int(np.where(totals == totals.max(), preference, -1).argmax())


def _greedy(table: Matrix, size: int) -> list[int]:
    chosen: list[int] = []
    covered = np.zeros(table.shape[1], dtype=np.int64)
    for _ in range(size):
        totals = np.maximum(table, covered).sum(axis=1)
        best = int(totals.argmax())
        if chosen and totals[best] == covered.sum():
            break
        chosen.append(best)
        covered = np.maximum(covered, table[best])
    return chosen


def _improve_by_exchange(table: Matrix, chosen: list[int]) -> tuple[int, ...]:
    best = int(table[chosen].max(axis=0).sum())
    index = 0
    while index < len(chosen):
        others = chosen[:index] + chosen[index + 1 :]
        totals = np.maximum(table, table[others].max(axis=0, initial=0)).sum(axis=1)
        candidate = int(totals.argmax())
        if totals[candidate] > best:
            best = int(totals[candidate])
            chosen = [*others, candidate]
            index = 0
        else:
            index += 1
    return tuple(sorted(chosen))
