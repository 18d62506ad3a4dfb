"""Packing of a premise and its hypotheses into rows, and of rows into batches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

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
    paired = [pair in pairs for pair in pairwise(hypothesis)]
    return [
        1 if token not in known
        else 3 if (i > 0 and paired[i - 1]) or (i < len(paired) and paired[i])
        else 2
        for i, token in enumerate(hypothesis)
    ]  # fmt: skip


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
        places, at = [], self.middle
        for hypothesis in self.hypotheses:
            places.append(at)
            at += len(hypothesis.ids) + 2
        return places


PackedRow = tuple[EncodedRow, Sequence[int]]
"""A row, and the indices of its pairs."""


def batches(pairs: Sequence[tuple[Encoded, Encoded]], *, tokens: int) -> Iterator[list[PackedRow]]:
    """Batch pairs in rows of similar length, at most `tokens` tokens with padding."""
    rows = sorted(group_by_premise(pairs), key=lambda seated: len(seated[0]))
    batch: list[PackedRow] = []
    for seated in rows:
        if batch and (len(batch) + 1) * len(seated[0]) > tokens:
            yield batch
            batch = []
        batch.append(seated)
    if batch:
        yield batch


def group_by_premise(pairs: Sequence[tuple[Encoded, Encoded]]) -> Iterator[PackedRow]:
    """Yield rows of one premise and as many hypotheses as `ROW_TOKENS` allows."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, (premise, _) in enumerate(pairs):
        groups.setdefault(premise.ids, []).append(index)
    for group in groups.values():
        premise = pairs[group[0]][0]
        seats: list[int] = []
        length = first = len(premise.ids) + 2
        for index in group:
            size = len(pairs[index][1].ids) + 2
            if seats and length + size > ROW_TOKENS:
                yield _pack(premise, seats, pairs)
                seats, length = [], first
            seats.append(index)
            length += size
        yield _pack(premise, seats, pairs)


def _pack(
    premise: Encoded, seats: Sequence[int], pairs: Sequence[tuple[Encoded, Encoded]]
) -> PackedRow:
    return EncodedRow(premise=premise, hypotheses=tuple(pairs[index][1] for index in seats)), seats


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
