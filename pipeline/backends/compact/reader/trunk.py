"""The network's layers over rows of unequal length: packed on the CPU, padded on a GPU.

Packed, the tokens of all rows stand in one long line, and only attention tells rows apart. So
little is padded, and what is computed of a row does not depend on the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.backends.compact.reader.attending import attend, mask_of
from pipeline.backends.compact.reader.layout import Row, lay
from pipeline.backends.compact.reader.network import Layer, ReaderNetwork, Rows, allowed_by

ROUND = 16
"""Rows are filled up to a multiple, so that several have one length."""
STEP = 64
"""Packed tokens are filled up to a multiple: each new size costs the library a preparation."""

PACKED_FOR = 1024
"""Tokens at a time that packed weights are best for."""


class Trunk(Protocol):
    def __call__(self, rows: Sequence[Row], *, premises: bool) -> list[Tensor]:
        """The last hidden states of each row, float32 of shape (len(row), width).

        Without `premises`, only those of its hypotheses: the last layer is cheaper then.
        """


def trunk_of(network: ReaderNetwork, device: torch.device, precision: torch.dtype) -> Trunk:
    """The faster way for a device. The network's layers become the trunk's own."""
    network.eval().requires_grad_(False).to(device)
    return Packed(network, precision) if device.type == "cpu" else Padded(network, precision)


class Packed:
    """The tokens of all rows in one line; rows of about one length attend together.

    Each row is filled up to a multiple of `ROUND`, whatever stands beside it. Where linear
    layers and attention are in bfloat16, sums and norms stay in float32, which keeps the
    scores close.
    """

    def __init__(self, network: ReaderNetwork, precision: torch.dtype) -> None:
        self._network = network
        self._layers = [_Layer(cast(Layer, layer), precision) for layer in network.layers]
        # In bfloat16 they are kept in that alone.
        del network.layers

    def __call__(self, rows: Sequence[Row], *, premises: bool) -> list[Tensor]:
        line, blocks = _in_line(rows)
        hidden = self._network.embed(line)[0]
        for layer in self._layers[:-1]:
            hidden = layer(hidden, blocks)
        kept = _kept(rows, premises=premises)
        hidden = self._layers[-1](hidden, blocks, torch.tensor(kept))
        sizes = [len(row) - (0 if premises else row.middle) for row in rows]
        return list(torch.split_with_sizes(hidden[: sum(sizes)], sizes))


class Padded:
    """Rows padded to the longest: many small steps would leave a GPU idle."""

    def __init__(self, network: ReaderNetwork, precision: torch.dtype) -> None:
        self._network = network
        self._precision = precision

    def __call__(self, rows: Sequence[Row], *, premises: bool) -> list[Tensor]:
        device = self._network.words.weight.device
        low = self._precision is not torch.float32
        with torch.autocast(device.type, dtype=self._precision, enabled=low):
            hidden = self._network(lay(rows).to(device)).float()
        return [
            states[0 if premises else row.middle : len(row)]
            for states, row in zip(hidden, rows, strict=True)
        ]


class _Linear:
    """A linear layer, with gelu behind it or nothing; its answer has the precision of its weights.

    The shipped weights are whole numbers of at most 127 times a power of two, and their biases
    have eight bits: bfloat16 holds both exactly, so only what comes in and goes out is rounded.
    """

    def __init__(self, linear: nn.Linear, precision: torch.dtype, *, gelu: bool = False) -> None:
        self._weight, self._bias = linear.weight.to(precision), linear.bias.to(precision)
        self._gelu = gelu
        self._packed = precision is torch.bfloat16 and _can_pack()
        if self._packed:
            self._weight = torch.ops.mkldnn._reorder_linear_weight(self._weight, PACKED_FOR)

    def __call__(self, states: Tensor) -> Tensor:
        states = states.to(self._bias.dtype)
        if self._packed:
            then = "gelu" if self._gelu else "none"
            found: Tensor = torch.ops.mkldnn._linear_pointwise(
                states, self._weight, self._bias, then, [], "none"
            )
            return found
        found = functional.linear(states, self._weight, self._bias)
        return functional.gelu(found) if self._gelu else found


def _can_pack() -> bool:
    """Whether torch has what its own compiler uses: oneDNN with packed weights, gelu fused in."""
    return torch._C._has_mkldnn and all(
        hasattr(torch.ops.mkldnn, name) for name in ("_reorder_linear_weight", "_linear_pointwise")
    )


@dataclass(frozen=True, slots=True)
class _Block:
    """Neighbouring rows of one length in the line."""

    start: int
    rows: int
    length: int
    mask: Tensor
    """(rows, 1, length, length), as `mask_of` gives it."""

    @property
    def end(self) -> int:
        return self.start + self.rows * self.length


class _Layer:
    """What `network.Layer` computes, over tokens in one line: (T, width) in and out."""

    def __init__(self, layer: Layer, precision: torch.dtype) -> None:
        self._heads = layer.heads
        self._mixed, self._out = _Linear(layer.mixed, precision), _Linear(layer.out, precision)
        self._inner = _Linear(layer.inner, precision, gelu=True)
        self._outer = _Linear(layer.outer, precision)
        self._out_norm, self._outer_norm = layer.out_norm, layer.outer_norm

    def __call__(
        self, hidden: Tensor, blocks: Sequence[_Block], kept: Tensor | None = None
    ) -> Tensor:
        """With `kept`, only the states of those tokens are computed to the end."""
        seen = self._attend(self._mixed(hidden), blocks)
        if kept is not None:
            hidden, seen = hidden[kept], seen[kept]
        hidden = self._out_norm(hidden + self._out(seen))
        normed: Tensor = self._outer_norm(hidden + self._outer(self._inner(hidden)))
        return normed

    def _attend(self, mixed: Tensor, blocks: Sequence[_Block]) -> Tensor:
        width = mixed.shape[1] // 3
        seen = mixed.new_zeros((len(mixed), width))
        for block in blocks:
            part = mixed[block.start : block.end].view(
                block.rows, block.length, 3, self._heads, width // self._heads
            )
            # One copy, in float32: rounded scores are what moved verdicts most.
            laid = part.permute(2, 0, 3, 1, 4)
            query, key, value = torch.empty(laid.shape).copy_(laid)
            found = attend(query, key, value, block.mask)
            seen[block.start : block.end] = found.transpose(1, 2).reshape(-1, width)
        return seen


def _rounded(size: int) -> int:
    return size + -size % ROUND


def _kept(rows: Sequence[Row], *, premises: bool) -> list[int]:
    """Which tokens of the line are asked for, filled up with the first to a multiple."""
    found: list[int] = []
    start = 0
    for row in rows:
        found += range(start + (0 if premises else row.middle), start + len(row))
        start += _rounded(len(row))
    return found + [0] * (-len(found) % STEP)


def _in_line(rows: Sequence[Row]) -> tuple[Rows, list[_Block]]:
    """The rows one after another, as one row of a batch, filled up at its end."""
    laid: list[Rows] = []
    blocks: list[_Block] = []
    at = 0
    for length, group in groupby(rows, key=lambda row: _rounded(len(row))):
        tensors = lay(list(group), length)
        mask = mask_of(allowed_by(tensors.segments), torch.float32)
        blocks.append(_Block(at, len(tensors.ids), length, mask))
        at = blocks[-1].end
        laid.append(tensors)

    def joined(name: str) -> Tensor:
        line = torch.cat([getattr(tensors, name).view(1, -1) for tensors in laid], dim=1)
        return functional.pad(line, (0, -at % STEP))

    line = Rows(
        ids=joined("ids"),
        positions=joined("positions"),
        segments=joined("segments"),
        matches=joined("matches"),
    )
    return line, blocks
