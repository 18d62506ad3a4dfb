"""The attribution report (section 3.3): at most M snippets that cover the queries best.

The search is exhaustive, as in the paper. Scores are held as whole numbers, so a sum does not
depend on the order of its terms and a tie is a tie.

Of sets that cover equally well the one wins that holds more of the snippets that an edit was
made from (without them y would stand unsupported), then the one with fewer snippets, then the
one whose snippets come first: they stand in the order of their queries, then of their rank.
"""

import math
from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pipeline.rarr.model_answers import score_relevance
from pipeline.rarr.ports import Relevance
from pipeline.rarr.types import Evidence, Query, Report, distinct

Matrix = NDArray[np.int64]

WORK = 2_000_000_000
"""Scores that an exhaustive search may look at, a few seconds of work; beyond, it is greedy. All
C(40, 5) sets over 40 queries need 30 million."""


def select(
    queries: Sequence[Query],
    evidence: Sequence[Sequence[Evidence]],
    *,
    relevance: Relevance,
    size: int,
    edited_from: Collection[Evidence] = (),
) -> Report:
    """A, the non-empty set of at most `size` snippets that maximises equation 5.

    `evidence` is parallel to `queries`. A snippet that several queries found counts once.
    `edited_from` are the snippets that decide a tie: those of the edits that were kept. Empty
    where there is no evidence; raises `UnreadableReply` for scores that are no numbers.
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
            tuple(text for text, carrier in zip(texts, carriers, strict=True) if carrier == place)
            for place in range(len(chosen))
        ),
        is_exact=is_exact,
    )


def best_cover(
    scores: NDArray[np.float64], *, size: int, preferred: Sequence[int] = (), work: int = WORK
) -> tuple[tuple[int, ...], bool]:
    """The columns, at most `size`, whose row-wise maxima have the greatest sum; is it proved?

    `scores` has a row a query and a column a candidate, all finite, at least one of each.
    Ties go to the set with more of the `preferred` columns, then fewer columns, then the
    first in lexicographic order. The answer is exact, and True, unless more than `work`
    scores would have to be looked at; then it is a greedy choice improved by exchanges.
    """
    whole = _whole_numbers(scores)
    is_preferred = np.isin(np.arange(scores.shape[1]), preferred)
    columns = _undominated(whole, is_preferred)
    table = np.ascontiguousarray(whole[:, columns].T)
    size = min(size, len(columns))
    sets = sum(math.comb(len(columns), count) for count in range(1, size + 1))
    is_exact = sets * len(whole) <= work
    chosen = (
        _best_of_all(table, is_preferred[columns], size)
        if is_exact
        else _exchanged(table, _greedy(table, size))
    )
    return tuple(int(columns[index]) for index in chosen), is_exact


def _whole_numbers(scores: NDArray[np.float64]) -> Matrix:
    """The scores above each row's least, as integers as fine as 62 bits allow for their sum.

    Taking a row's least away changes every set's coverage by the same amount, and makes
    nothing negative, so that no snippet ever takes coverage away. It is done with the whole
    numbers: a difference of floats is rounded, and a tie would be one no more.
    """
    largest = float(np.abs(scores).max())
    if largest == 0.0:
        return np.zeros(scores.shape, dtype=np.int64)
    # A score above the least can be twice the largest: the sum stays below two to the 62.
    bits = 61 - math.frexp(largest)[1] - math.frexp(len(scores))[1]
    found: Matrix = np.rint(np.ldexp(scores, bits)).astype(np.int64)
    above: Matrix = found - found.min(axis=1, keepdims=True)
    return above


def _undominated(whole: Matrix, is_preferred: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The columns without those that another before them matches or beats in every row.

    In any set it can stand in their place: the set then covers no less and comes earlier. A
    preferred column stays, since it may decide a tie beside the one that beats it.
    """
    kept: list[int] = []
    for column in range(whole.shape[1]):
        beaten = (whole[:, kept] >= whole[:, column, None]).all(axis=0).any()
        if is_preferred[column] or not beaten:
            kept.append(column)
    return np.array(kept, dtype=np.intp)


def _best_of_all(table: Matrix, is_preferred: NDArray[np.bool_], size: int) -> tuple[int, ...]:
    """The first of the best sets, fewest first; `table` has a row a candidate.

    The last two of a set are tried all at once, after each choice of the others.
    """
    liked = is_preferred.astype(np.int64)
    last = _first_best(table.sum(axis=1), liked)
    best: tuple[int, ...] = (last,)
    found = int(table[last].sum()), int(liked[last])
    first, second = np.triu_indices(len(table), k=1)
    pairs, liked_pairs = np.maximum(table[first], table[second]), liked[first] + liked[second]
    behind = np.searchsorted(first, np.arange(len(table)), side="right")
    for count in range(2, size + 1):
        for others in combinations(range(len(table) - 2), count - 2):
            begin = int(behind[others[-1]]) if others else 0
            covered = table[list(others)].max(axis=0, initial=0)
            totals = np.maximum(pairs[begin:], covered).sum(axis=1)
            if totals.max() < found[0]:
                continue
            index = _first_best(totals, liked_pairs[begin:])
            new = int(totals[index]), int(liked[list(others)].sum() + liked_pairs[begin + index])
            if new > found:
                found = new
                best = (*others, int(first[begin + index]), int(second[begin + index]))
    return best


def _first_best(totals: Matrix, liked: Matrix) -> int:
    """The first index with the greatest total, and of these with the most preferred columns."""
    return int(np.where(totals == totals.max(), liked, -1).argmax())


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


def _exchanged(table: Matrix, chosen: list[int]) -> tuple[int, ...]:
    """Exchange one snippet for another while that covers more."""
    best = int(table[chosen].max(axis=0).sum())
    place = 0
    while place < len(chosen):
        others = chosen[:place] + chosen[place + 1 :]
        totals = np.maximum(table, table[others].max(axis=0, initial=0)).sum(axis=1)
        candidate = int(totals.argmax())
        if totals[candidate] > best:
            best = int(totals[candidate])
            chosen = [*others, candidate]
            place = 0
        else:
            place += 1
    return tuple(sorted(chosen))
