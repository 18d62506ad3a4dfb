"""Rows of unequal length in one line of tokens, where each attends by itself: nothing is padded."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from pipeline.backends.compact.reader.layout import Row


@dataclass(slots=True)
class Past:
    """A premise as a pass left it: it looks at nothing else, so later hypotheses need no other."""

    layers: list[tuple[Tensor, Tensor]] = field(default_factory=list)
    """Its keys and values in each layer, (heads, tokens, width of a head)."""
    states: Tensor | None = None
    """Its last hidden states, (tokens, width)."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where a row stands in a line of tokens: its premise, unless that is known, and its
    hypotheses."""

    start: int
    middle: int
    end: int
    mask: Tensor | None
    """Added to the scores of hypotheses against the whole row, (H, L); None for one hypothesis,
    which may look at all of it."""
    past: Past | None = None
    """Of a premise that is not in the line, or where one that is in it is to be kept."""

    @property
    def is_known(self) -> bool:
        return self.start == self.middle

    def seen(self, part: Tensor, *, layer: int, which: int) -> Tensor:
        """The keys (`which` 0) or values (1) of all that its hypotheses may look at."""
        own = part[:, self.start : self.end]
        if self.past is None or not self.is_known:
            return own
        return torch.cat([self.past.layers[layer][which], own], 1)


def stretches_of(rows: Sequence[Row], pasts: Sequence[Past | None] = ()) -> list[Stretch]:
    """The rows one after another, without the premises that a past has the layers of."""
    found: list[Stretch] = []
    at = 0
    for row, past in zip(rows, pasts or [None] * len(rows), strict=True):
        mask = _apart(row) if len(row.hypotheses) > 1 else None
        middle = at if past is not None and past.layers else at + row.middle
        end = middle + len(row) - row.middle
        found.append(Stretch(at, middle, end, mask, past))
        at = end
    return found


def attend_in_line(
    mixed: Tensor,
    heads: int,
    stretches: Sequence[Stretch],
    *,
    layer: int = 0,
    premises: bool = True,
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
    scores = torch.empty(0)
    for row in stretches:
        itself, asking = slice(row.start, row.middle), slice(row.middle, row.end)
        keys = row.seen(key, layer=layer, which=0)
        parts = [(asking, keys, row.seen(value, layer=layer, which=1), row.mask)]
        if not row.is_known:
            if premises:
                parts.append((itself, key[:, itself], value[:, itself], None))
            if row.past is not None:
                row.past.layers.append((key[:, itself].clone(), value[:, itself].clone()))
        size = heads * keys.shape[1] ** 2
        scores = scores if len(scores) >= size else torch.empty(size)
        for mine, their_keys, their_values, mask in parts:
            found = _looked(query[:, mine], their_keys, their_values, mask, scores)
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
