"""The network's layers over rows of unequal length: packed on the CPU, padded on a GPU.

Packed, the tokens of all rows stand in one long line, and only attention looks at one row at a
time. So nothing is padded, and what is computed of a row does not depend on the others.
"""

from collections.abc import Sequence
from typing import Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.backends.compact.reader.layout import Row, lay
from pipeline.backends.compact.reader.network import Layer, ReaderNetwork, Rows, allowed_by

STEP = 64
"""Packed tokens are filled up to a multiple: each new size costs the library a preparation."""


class Trunk(Protocol):
    def __call__(self, rows: Sequence[Row]) -> list[Tensor]:
        """The last hidden states of each row, float32 of shape (len(row), width)."""


def trunk_of(network: ReaderNetwork, device: torch.device, precision: torch.dtype) -> Trunk:
    """The faster way for a device. Puts the network there, and its layers in that precision."""
    network.eval().requires_grad_(False).to(device)
    for layer in _layers(network):
        for linear in (layer.mixed, layer.out, layer.inner, layer.outer):
            linear.to(precision)
    return Packed(network) if device.type == "cpu" else Padded(network, device)


class Packed:
    """All tokens in one line.

    The linear layers multiply in the precision of their weights; attention, sums and norms stay
    in float32, which keeps the scores of bfloat16 close.
    """

    def __init__(self, network: ReaderNetwork) -> None:
        self._network = network

    def __call__(self, rows: Sequence[Row]) -> list[Tensor]:
        line, places = _in_line(rows)
        hidden = self._network.embed(line)[0]
        for layer in _layers(self._network):
            hidden = _through(layer, hidden, places)
        return [hidden[place.start : place.end] for place in places]


class Padded:
    """Rows padded to the longest: many small steps would leave a GPU idle."""

    def __init__(self, network: ReaderNetwork, device: torch.device) -> None:
        self._network = network
        self._device = device

    def __call__(self, rows: Sequence[Row]) -> list[Tensor]:
        precision = _layers(self._network)[0].mixed.weight.dtype
        low = precision is not torch.float32
        with torch.autocast(self._device.type, dtype=precision, enabled=low):
            hidden = self._network(lay(rows).to(self._device)).float()
        return [states[: len(row)] for states, row in zip(hidden, rows, strict=True)]


def _layers(network: ReaderNetwork) -> list[Layer]:
    return cast(list[Layer], list(network.layers))


class _Place:
    """Where a row stands in the line, and which of it its hypotheses may attend to."""

    def __init__(self, row: Row, segments: Tensor, start: int) -> None:
        self.start = start
        self.middle = start + len(row.premise.ids) + 2
        self.end = start + len(row)
        # One hypothesis attends to all of its row.
        self.allowed = None
        if len(row.hypotheses) > 1:
            self.allowed = allowed_by(segments)[:, :, self.middle - start :]


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


def _through(layer: Layer, hidden: Tensor, places: Sequence[_Place]) -> Tensor:
    """One layer over (T, width), as `Layer.forward` computes it."""
    tokens, width = hidden.shape
    mixed = _linear(layer.mixed, hidden).view(tokens, 3, layer.heads, width // layer.heads)
    query, key, value = mixed.permute(1, 2, 0, 3)[:, None]
    seen = torch.zeros(tokens, width)
    by_head = seen.view(tokens, layer.heads, -1).transpose(0, 1)[None]
    attend = functional.scaled_dot_product_attention
    for at in places:
        premise = slice(at.start, at.middle)
        said, row = slice(at.middle, at.end), slice(at.start, at.end)
        by_head[:, :, premise] = attend(
            query[:, :, premise], key[:, :, premise], value[:, :, premise]
        )
        by_head[:, :, said] = attend(
            query[:, :, said], key[:, :, row], value[:, :, row], attn_mask=at.allowed
        )
    hidden = layer.out_norm(hidden + _linear(layer.out, seen))
    inner = functional.gelu(layer.inner(hidden.to(layer.inner.weight.dtype)))
    normed: Tensor = layer.outer_norm(hidden + layer.outer(inner))
    return normed


def _linear(linear: nn.Linear, states: Tensor) -> Tensor:
    """float32 in and out, multiplied in the precision of the weights."""
    found: Tensor = linear(states.to(linear.weight.dtype))
    return found.float()
