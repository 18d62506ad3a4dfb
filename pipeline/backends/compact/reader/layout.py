"""Packing of a premise and its hypotheses into rows, and of rows into batches."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import torch

from pipeline.backends.compact.reader.network import Rows

CLS, SEP, MASK, PAD = 101, 102, 103, 0
PREMISE_TOKENS = 254
"""Without its two marks; longer premises are cut."""
ROW_TOKENS = 512
"""A row's limit for further hypotheses: attention is quadratic."""
HYPOTHESIS_TOKENS = 94
"""Longer hypotheses are cut."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text's token ids, with the characters of each; no marks at its ends."""

    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]

    def cut(self, start: int, end: int) -> "Encoded":
        return Encoded(self.ids[start:end], self.spans[start:end])


def masked(encoded: Encoded, start: int, end: int) -> tuple[Encoded, int]:
    """Replace the tokens of characters start:end with one [MASK]; return its index too."""
    first = next((i for i, (_, e) in enumerate(encoded.spans) if e > start), len(encoded.ids))
    last = first
    while last < len(encoded.ids) and encoded.spans[last][0] < end:
        last += 1
    ids = (*encoded.ids[:first], MASK, *encoded.ids[last:])
    spans = (*encoded.spans[:first], (start, end), *encoded.spans[last:])
    return Encoded(ids, spans), first


def matches_of(premise: Sequence[int], hypothesis: Sequence[int]) -> list[int]:
    """Mark tokens: 1 absent from the premise, 2 in it, 3 with a neighbour.

    >>> matches_of([5, 6, 7], [5, 6, 9, 7])
    [3, 3, 1, 2]
    """
    known, pairs = set(premise), set(pairwise(premise))
    paired = [False, *(pair in pairs for pair in pairwise(hypothesis)), False]
    neighbours = zip(hypothesis, paired, paired[1:], strict=False)
    return [1 + (token in known) + (before or after) for token, before, after in neighbours]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedRow:
    """One premise with hypotheses, not padded."""

    premise: Encoded
    hypotheses: tuple[Encoded, ...]

    def __len__(self) -> int:
        return len(self.premise.ids) + 2 + sum(len(h.ids) + 2 for h in self.hypotheses)

    @property
    def middle(self) -> int:
        """Length of the premise with its marks."""
        return len(self.premise.ids) + 2

    def firsts(self) -> list[int]:
        """Return the position of each hypothesis's [CLS]."""
        sizes = [len(each.ids) + 2 for each in self.hypotheses]
        return [*accumulate(sizes, initial=self.middle)][:-1]


PackedRow = tuple[EncodedRow, Sequence[int]]
"""A row, and the indices of its pairs."""


def batches(rows: Iterable[PackedRow], *, tokens: int) -> Iterator[list[PackedRow]]:
    """Batch rows of similar length, at most `tokens` tokens with padding."""
    batch: list[PackedRow] = []
    for row in sorted(rows, key=lambda packed: len(packed[0])):
        if batch and (len(batch) + 1) * len(row[0]) > tokens:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def group_by_premise(pairs: Sequence[tuple[Encoded, Encoded]]) -> Iterator[PackedRow]:
    """Yield rows of one premise and as many hypotheses as `ROW_TOKENS` allows."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, (premise, _) in enumerate(pairs):
        groups.setdefault(premise.ids, []).append(index)
    for group in groups.values():
        premise = pairs[group[0]][0]
        rows: list[list[int]] = []
        length = 0
        for index in group:
            size = len(pairs[index][1].ids) + 2
            if not rows or length + size > ROW_TOKENS:
                rows.append([])
                length = len(premise.ids) + 2
            rows[-1].append(index)
            length += size
        for row in rows:
            yield EncodedRow(premise=premise, hypotheses=tuple(pairs[i][1] for i in row)), row


def _columns(row: EncodedRow) -> tuple[list[int], ...]:
    """Return ids, positions, segments and matches, as in `Rows`."""
    premise = row.premise.ids
    ids, positions = [CLS, *premise, SEP], list(range(len(premise) + 2))
    segments, matches = [0] * len(ids), [0] * len(ids)
    for number, hypothesis in enumerate(row.hypotheses, 1):
        size = len(hypothesis.ids) + 2
        ids += [CLS, *hypothesis.ids, SEP]
        positions += range(size)
        segments += [number] * size
        matches += [0, *matches_of(premise, hypothesis.ids), 0]
    return ids, positions, segments, matches


def pad_rows(rows: Sequence[EncodedRow]) -> Rows:
    """Pad rows to the longest, (B, L)."""
    laid = torch.full((4, len(rows), max(map(len, rows))), PAD)
    laid[2] = -1
    for number, row in enumerate(rows):
        laid[:, number, : len(row)] = torch.tensor(_columns(row))
    return Rows(*laid)
