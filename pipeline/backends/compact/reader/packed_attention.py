"""Rows of unequal length in one line of tokens, where each attends by itself: nothing is padded."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pipeline.backends.compact.reader.layout import Row


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where a row stands in a line of tokens: its premise, then its hypotheses."""

    start: int
    middle: int
    end: int
    mask: Tensor | None
    """Added to the scores of hypotheses against the whole row, (H, L); None for one hypothesis,
    which may look at all of it."""


def stretches_of(rows: Sequence[Row]) -> list[Stretch]:
    """The rows one after another."""
    found: list[Stretch] = []
    at = 0
    for row in rows:
        mask = _apart(row) if len(row.hypotheses) > 1 else None
        found.append(Stretch(at, at + row.middle, at + len(row), mask))
        at += len(row)
    return found


def attend_in_line(
    mixed: Tensor, heads: int, stretches: Sequence[Stretch], *, premises: bool = True
) -> Tensor:
    """Attention of each row by itself: (T, 3 * width) queries, keys and values to (T, width).

    A premise looks at itself, a hypothesis at the premise and itself; without `premises` only
    what hypotheses see is computed. Products are in float32: rounded scores are what moves
    verdicts most. One row at a time, for its scores then stay in a core's cache, and what no
    token may look at is not computed to be masked.
    """
    total, width = len(mixed), mixed.shape[1] // 3
    laid = mixed.view(total, 3, heads, width // heads).permute(1, 2, 0, 3)
    query, key, value = torch.empty(laid.shape).copy_(laid)
    seen = mixed.new_zeros((total, heads, width // heads))
    longest = max(row.end - row.start for row in stretches)
    scores = torch.empty(heads * longest * longest)
    for row in stretches:
        parts = [(slice(row.middle, row.end), slice(row.start, row.end), row.mask)]
        if premises:
            itself = slice(row.start, row.middle)
            parts.append((itself, itself, None))
        for mine, theirs, mask in parts:
            found = _looked(query[:, mine], key[:, theirs], value[:, theirs], mask, scores)
            seen[mine] = found.transpose(0, 1)
    return seen.view(total, width)


def _looked(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, scores: Tensor
) -> Tensor:
    """One row's attention, (heads, asking tokens, width of a head); `scores` is written over."""
    shape = (len(query), query.shape[1], key.shape[1])
    into = scores[: shape[0] * shape[1] * shape[2]].view(shape)
    scale = query.shape[-1] ** -0.5
    torch.baddbmm(into, query, key.transpose(1, 2), beta=0, alpha=scale, out=into)
    if mask is not None:
        into += mask
    return torch.bmm(torch.softmax(into, -1, out=into), value)


def _apart(row: Row) -> Tensor:
    """Of several hypotheses, which tokens each may not look at: the other hypotheses'."""
    mask = torch.full((len(row) - row.middle, len(row)), torch.finfo(torch.float32).min)
    mask[:, : row.middle] = 0
    for hypothesis, first in zip(row.hypotheses, row.firsts(), strict=True):
        last = first + len(hypothesis.ids) + 2
        mask[first - row.middle : last - row.middle, first:last] = 0
    return mask
