"""The network's layers over rows of unequal length: packed on the CPU, padded on a GPU.

Packed, the tokens of all rows stand in one long line, and only attention looks at one row at a
time. So nothing is padded, and what is computed of a row does not depend on the others.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.backends.compact.reader.layout import Row, lay
from pipeline.backends.compact.reader.network import Layer, ReaderNetwork, Rows, allowed_by
from pipeline.backends.compact.reader.weights import LARGEST

STEP = 64
"""Packed tokens are filled up to a multiple: each new size costs the library a preparation."""


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
    """All tokens in one line.

    Linear layers may multiply in bfloat16; attention, sums and norms stay in float32, which
    keeps the scores close.
    """

    def __init__(self, network: ReaderNetwork, precision: torch.dtype) -> None:
        self._network = network
        self._layers = [_Layer(cast(Layer, layer), precision) for layer in network.layers]
        # In bfloat16 they are kept in that alone.
        del network.layers

    def __call__(self, rows: Sequence[Row], *, premises: bool) -> list[Tensor]:
        line, places = _in_line(rows)
        hidden = self._network.embed(line)[0]
        for layer in self._layers[:-1]:
            hidden = layer(hidden, places)
        if premises:
            hidden = self._layers[-1](hidden, places)
            return [hidden[place.start : place.end] for place in places]
        return _split(self._layers[-1].said(hidden, places), _said_sizes(places))


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
    """A linear layer, float32 in and out."""

    def __init__(self, linear: nn.Linear) -> None:
        self._weight, self._bias = linear.weight, linear.bias

    def __call__(self, states: Tensor) -> Tensor:
        return functional.linear(states, self._weight, self._bias)


class _LowLinear:
    """A linear layer that multiplies in bfloat16, float32 in and out.

    The weights are kept as they are shipped, whole numbers of at most 127 with a scale a row:
    bfloat16 holds those exactly, so only what comes in and what goes out is rounded.
    """

    def __init__(self, linear: nn.Linear) -> None:
        greatest = linear.weight.abs().amax(1).clamp_min(torch.finfo(torch.float32).tiny)
        self._scale, self._bias = greatest / LARGEST, linear.bias
        self._weight = (linear.weight / self._scale[:, None]).to(torch.bfloat16)

    def __call__(self, states: Tensor) -> Tensor:
        found = functional.linear(states.to(torch.bfloat16), self._weight)
        return torch.addcmul(self._bias, found, self._scale)


class _Layer:
    """What `network.Layer` computes, over tokens in one line: (T, width) in and out."""

    def __init__(self, layer: Layer, precision: torch.dtype) -> None:
        kind = _Linear if precision is torch.float32 else _LowLinear
        self._heads = layer.heads
        self._mixed, self._out = kind(layer.mixed), kind(layer.out)
        self._inner, self._outer = kind(layer.inner), kind(layer.outer)
        self._out_norm, self._outer_norm = layer.out_norm, layer.outer_norm

    def __call__(self, hidden: Tensor, places: "Sequence[_Place]") -> Tensor:
        query, key, value = self._mixing(hidden)
        seen = torch.zeros_like(hidden)
        by_head = seen.view(len(hidden), self._heads, -1).transpose(0, 1)[None]
        for at in places:
            by_head[:, :, at.premise] = functional.scaled_dot_product_attention(
                query[:, :, at.premise], key[:, :, at.premise], value[:, :, at.premise]
            )
            by_head[:, :, at.said] = self._attend(query, key, value, at)
        return self._rest(hidden, seen)

    def said(self, hidden: Tensor, places: "Sequence[_Place]") -> Tensor:
        """The hypotheses' states alone, one row's after another's, filled up at the end."""
        query, key, value = self._mixing(hidden)
        sizes = _said_sizes(places)
        rest = -sum(sizes) % STEP
        kept = functional.pad(torch.cat([hidden[at.said] for at in places]), (0, 0, 0, rest))
        seen = torch.zeros_like(kept)
        by_head = seen.view(len(kept), self._heads, -1).transpose(0, 1)[None]
        start = 0
        for at, size in zip(places, sizes, strict=True):
            by_head[:, :, start : start + size] = self._attend(query, key, value, at)
            start += size
        return self._rest(kept, seen)

    def _mixing(self, hidden: Tensor) -> Tensor:
        """Query, key and value, (3, 1, heads, T, width of a head)."""
        mixed = self._mixed(hidden).view(len(hidden), 3, self._heads, -1)
        return mixed.permute(1, 2, 0, 3)[:, None]

    @staticmethod
    def _attend(query: Tensor, key: Tensor, value: Tensor, at: "_Place") -> Tensor:
        return functional.scaled_dot_product_attention(
            query[:, :, at.said], key[:, :, at.row], value[:, :, at.row], attn_mask=at.allowed
        )

    def _rest(self, hidden: Tensor, seen: Tensor) -> Tensor:
        hidden = self._out_norm(hidden + self._out(seen))
        inner = functional.gelu(self._inner(hidden))
        normed: Tensor = self._outer_norm(hidden + self._outer(inner))
        return normed


class _Place:
    """Where a row stands in the line, and which of it its hypotheses may attend to."""

    def __init__(self, row: Row, segments: Tensor, start: int) -> None:
        self.start, self.end = start, start + len(row)
        self.row = slice(start, self.end)
        self.premise = slice(start, start + row.middle)
        self.said = slice(start + row.middle, self.end)
        # One hypothesis attends to all of its row.
        self.allowed = None
        if len(row.hypotheses) > 1:
            self.allowed = allowed_by(segments)[:, :, row.middle :]


def _said_sizes(places: Sequence[_Place]) -> list[int]:
    return [place.said.stop - place.said.start for place in places]


def _split(states: Tensor, sizes: Sequence[int]) -> list[Tensor]:
    """The first sum(sizes) states in pieces; what fills up is dropped."""
    ends = accumulate(sizes)
    return [states[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _in_line(rows: Sequence[Row]) -> tuple[Rows, list[_Place]]:
    """The rows one after another, as one row of a batch, filled up at its end."""
    laid = [lay([row]) for row in rows]
    places: list[_Place] = []
    at = 0
    for row, tensors in zip(rows, laid, strict=True):
        places.append(_Place(row, tensors.segments, at))
        at += len(row)
    rest = -at % STEP

    def joined(name: str) -> Tensor:
        line = torch.cat([getattr(tensors, name) for tensors in laid], dim=1)
        return functional.pad(line, (0, rest))

    line = Rows(
        ids=joined("ids"),
        positions=joined("positions"),
        segments=joined("segments"),
        matches=joined("matches"),
    )
    return line, places
