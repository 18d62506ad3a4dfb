"""The attribution report (section 3.3): at most M snippets that cover the queries best.

The search is exhaustive, as in the paper, but never looks at a set that cannot win: it walks
the sets in order, and a bound on what a branch can still gain (coverage is submodular: a
snippet adds the less, the more is chosen) cuts the branch off. Scores are held as whole
numbers, so a sum does not depend on the order of its terms and a tie is a tie.

Of sets that cover equally well the one wins that holds more of the snippets that an edit was
made from (without them y would stand unsupported), then the one with fewer snippets, then the
one whose snippets come first: they stand in the order of their queries, then of their rank.
"""

import math
from bisect import insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from pipeline.rarr.ports import Relevance
from pipeline.rarr.retrieval import relevances
from pipeline.rarr.types import Evidence, Query, Report

Matrix = NDArray[np.int64]

WORK = 2_000_000_000
"""How many scores the search may look at before it settles for the best set found; a
second or two of work. All C(40, 5) sets over 40 queries need some 30 million."""

MOST_IN_PAIRS = 40_000_000
"""Pairs of columns are held in memory up to this many scores (half of it, in 8 bytes each)."""
MOST_TO_COMPARE = 400_000_000
"""Columns are compared with one another up to this many scores; beyond, none is left out."""


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
    candidates = _distinct(evidence)
    if not candidates:
        return Report()
    texts = [query.text for query in queries]
    pairs = [(text, candidate.titled) for text in texts for candidate in candidates]
    flat = relevances(pairs, relevance=relevance)
    scores = np.array(flat, dtype=np.float64).reshape(len(texts), len(candidates))

    needed = {_identity(snippet) for snippet in edited_from}
    preferred = [
        index for index, candidate in enumerate(candidates) if _identity(candidate) in needed
    ]
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


def _distinct(evidence: Sequence[Sequence[Evidence]]) -> list[Evidence]:
    first: dict[tuple[str, str], Evidence] = {}
    for found in evidence:
        for snippet in found:
            first.setdefault(_identity(snippet), snippet)
    return list(first.values())


def _identity(snippet: Evidence) -> tuple[str, str]:
    return snippet.document_id, snippet.text


def best_cover(
    scores: NDArray[np.float64], *, size: int, preferred: Sequence[int] = (), work: int = WORK
) -> tuple[tuple[int, ...], bool]:
    """The columns, at most `size`, whose row-wise maxima have the greatest sum; is it proved?

    `scores` has a row a query and a column a candidate, all finite, at least one of each.
    Ties go to the set with more of the `preferred` columns, then fewer columns, then the
    first in lexicographic order. The answer is exact, and True, unless more than `work`
    scores would have to be looked at; then it is the best set that was found: a greedy choice
    improved by exchanges, or better.
    """
    whole = _whole_numbers(scores, preferred)
    # A column that another before it matches or beats in every row can be exchanged for that
    # one in any set: the set then covers no less and comes earlier.
    columns = _undominated(whole)
    table = np.ascontiguousarray(whole[:, columns])
    size = min(size, len(columns))

    good = _exchanged(table, _greedy(table, size))
    search = _Search(table, floor=_cover(table, good) - 1, work=work)
    for count in range(1, size + 1):
        search.of_size(count)
        if search.is_spent:
            break
    chosen = search.best if search.best else tuple(sorted(good))
    return tuple(int(columns[index]) for index in chosen), not search.is_spent


def _whole_numbers(scores: NDArray[np.float64], preferred: Sequence[int]) -> Matrix:
    """The scores above each row's least, as integers as fine as 62 bits allow for their sum.

    Taking a row's least away changes every set's coverage by the same amount, and makes
    nothing negative, so that no snippet ever takes coverage away. It is done with the whole
    numbers: a difference of floats is rounded, and a tie would be one no more. A preferred
    column has a row of its own, worth the least there is: it decides nothing but ties.
    """
    largest = float(np.abs(scores).max())
    weight = len(preferred) + 1
    whole = np.zeros((len(scores) + len(preferred), scores.shape[1]), dtype=np.int64)
    if largest > 0.0:
        # A score above the least can be twice the largest: the sum stays below two to the 62.
        bits = 61 - math.frexp(largest)[1] - math.frexp(len(scores))[1] - math.frexp(weight)[1]
        found = np.rint(np.ldexp(scores, bits)).astype(np.int64)
        whole[: len(scores)] = (found - found.min(axis=1, keepdims=True)) * weight
    for row, column in enumerate(preferred, start=len(scores)):
        whole[row, column] = 1
    return whole


def _undominated(table: Matrix) -> NDArray[np.intp]:
    rows, columns = table.shape
    if rows * columns * columns > MOST_TO_COMPARE:
        return np.arange(columns)
    kept: list[int] = []
    for column in range(columns):
        if not (table[:, kept] >= table[:, column, None]).all(axis=0).any():
            kept.append(column)
    return np.array(kept, dtype=np.intp)


def _cover(table: Matrix, columns: Sequence[int]) -> int:
    return int(table[:, list(columns)].max(axis=1).sum())


def _greedy(table: Matrix, size: int) -> list[int]:
    chosen: list[int] = []
    covered = np.zeros(len(table), dtype=np.int64)
    for _ in range(size):
        totals = np.maximum(table, covered[:, None]).sum(axis=0)
        best = int(totals.argmax())
        if chosen and totals[best] == covered.sum():
            break
        chosen.append(best)
        covered = np.maximum(covered, table[:, best])
    return chosen


def _exchanged(table: Matrix, chosen: list[int]) -> list[int]:
    """Exchange one snippet for another while that covers more."""
    best = _cover(table, chosen)
    place = 0
    while place < len(chosen):
        others = chosen[:place] + chosen[place + 1 :]
        covered = table[:, others].max(axis=1, initial=0)
        totals = np.maximum(table, covered[:, None]).sum(axis=0)
        candidate = int(totals.argmax())
        if totals[candidate] > best:
            best = int(totals[candidate])
            chosen = [*others, candidate]
            place = 0
        else:
            place += 1
    return chosen


@dataclass(frozen=True, slots=True)
class _Branch:
    """All sets that begin with `chosen` and go on with columns from `start`."""

    chosen: tuple[int, ...]
    covered: Matrix
    start: int
    bound: int
    """No set of the branch covers more."""


class _Search:
    """Depth first, in lexicographic order; the last two columns are tried all at once."""

    def __init__(self, table: Matrix, *, floor: int, work: int) -> None:
        """`floor`: only a set that covers more is of interest."""
        self.best: tuple[int, ...] = ()
        self.is_spent = False
        self._table = table
        self._best_cover = floor
        self._work = work

        rows, columns = table.shape
        # The most that the columns from each one on could cover, row by row.
        self._ahead = np.zeros((rows, columns + 1), dtype=np.int64)
        self._ahead[:, :columns] = np.maximum.accumulate(table[:, ::-1], axis=1)[:, ::-1]
        self._has_pairs = rows * columns * columns <= MOST_IN_PAIRS
        if self._has_pairs:
            self._first, self._second = np.triu_indices(columns, k=1)
            self._pairs = np.maximum(table[:, self._first], table[:, self._second])
            # Where the pairs begin whose first column is this one or a later one.
            self._pairs_from = np.searchsorted(self._first, np.arange(columns + 1))

    def of_size(self, count: int) -> None:
        """Look for a set of `count` columns that covers more than any set found so far."""
        rows, columns = self._table.shape
        nothing = np.zeros(rows, dtype=np.int64)
        stack = [_Branch((), nothing, 0, int(self._ahead[:, 0].sum()))]
        while stack:
            branch = stack.pop()
            if branch.bound <= self._best_cover:
                continue
            left = count - len(branch.chosen)
            if left == 1:
                self._take_one(branch)
            elif left == 2 and self._has_pairs:
                self._take_two(branch)
            else:
                stack += self._branches(branch, left, last=columns - left)
            if self._work <= 0:
                self.is_spent = True
                return

    def _take_one(self, branch: _Branch) -> None:
        totals = self._totals(self._table[:, branch.start :], branch.covered)
        index = int(totals.argmax())
        self._offer((*branch.chosen, branch.start + index), int(totals[index]))

    def _take_two(self, branch: _Branch) -> None:
        begin = int(self._pairs_from[branch.start])
        totals = self._totals(self._pairs[:, begin:], branch.covered)
        index = int(totals.argmax())
        pair = int(self._first[begin + index]), int(self._second[begin + index])
        self._offer((*branch.chosen, *pair), int(totals[index]))

    def _offer(self, chosen: tuple[int, ...], cover: int) -> None:
        if cover > self._best_cover:
            self.best, self._best_cover = chosen, cover

    def _totals(self, columns: Matrix, covered: Matrix) -> Matrix:
        """What each column covers together with what is covered already."""
        self._work -= columns.size
        return cast(Matrix, np.maximum(columns, covered[:, None]).sum(axis=0))

    def _branches(self, branch: _Branch, left: int, *, last: int) -> list[_Branch]:
        """The branches by their next column, the latest first, without the hopeless ones."""
        start, covered = branch.start, branch.covered
        columns = self._table[:, start:]
        totals = self._totals(columns, covered)
        gains = totals - covered.sum()
        inside = np.maximum(columns[:, : last + 1 - start], covered[:, None])
        self._work -= inside.size
        ceilings = np.maximum(inside, self._ahead[:, start + 1 : last + 2]).sum(axis=0)

        found: list[_Branch] = []
        largest: list[int] = []  # the `left - 1` largest gains among the columns behind
        for index in range(len(gains) - 1, -1, -1):
            if start + index <= last:
                bound = min(int(totals[index]) + sum(largest), int(ceilings[index]))
                if bound > self._best_cover:
                    chosen = (*branch.chosen, start + index)
                    found.append(_Branch(chosen, inside[:, index], start + index + 1, bound))
            insort(largest, int(gains[index]))
            if len(largest) == left:
                del largest[0]
        return found
