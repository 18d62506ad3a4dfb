"""The network's layers over rows of unequal length: packed on the CPU, padded on a GPU.

Everything is counted in float32, also where a machine is faster in bfloat16: scores of bfloat16
differ by a thousandth from one processor to the next, those of float32 by a millionth.

Packed, the tokens of all rows stand in one long line, and only attention tells rows apart. So
little is padded, and what is computed of a row does not depend on the others.
"""

from collections.abc import Sequence
from typing import Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.backends.compact.reader.layout import Row, lay, lay_in_line
from pipeline.backends.compact.reader.network import Layer, ReaderNetwork
from pipeline.backends.compact.reader.packed_attention import Stretch, attend_in_line, stretches_of

STEP = 64
"""Packed tokens are filled up to a multiple: each new size costs the library a preparation."""

PACKED_FOR = 512
"""Tokens at a time that packed weights are best for."""


class Trunk(Protocol):
    def __call__(self, rows: Sequence[Row], *, premises: bool) -> list[Tensor]:
        """The last hidden states of each row, float32 of shape (len(row), width).

        Without `premises`, only those of its hypotheses: the last layer is cheaper then.
        """


def trunk_of(network: ReaderNetwork, device: torch.device) -> Trunk:
    """The faster way for a device. The network's layers become the trunk's own."""
    network.eval().requires_grad_(False).to(device)
    return Packed(network) if device.type == "cpu" else Padded(network)


class Packed:
    """The tokens of all rows in one line; each row attends by itself."""

    def __init__(self, network: ReaderNetwork) -> None:
        self._network = network
        self._layers = [_Layer(cast(Layer, layer)) for layer in network.layers]
        # They are kept as the library packs them, and in that way alone.
        del network.layers

    def __call__(self, rows: Sequence[Row], *, premises: bool) -> list[Tensor]:
        stretches = stretches_of(rows)
        hidden = self._network.embed(lay_in_line(rows, step=STEP))[0]
        for layer in self._layers[:-1]:
            hidden = layer(hidden, stretches)
        hidden = self._layers[-1].last(hidden, stretches, premises=premises)
        sizes = [len(row) - (0 if premises else row.middle) for row in rows]
        return list(torch.split_with_sizes(hidden[: sum(sizes)], sizes))


class Padded:
    """Rows padded to the longest: many small steps would leave a GPU idle."""

    def __init__(self, network: ReaderNetwork) -> None:
        self._network = network

    def __call__(self, rows: Sequence[Row], *, premises: bool) -> list[Tensor]:
        device = self._network.words.weight.device
        hidden = self._network(lay(rows).to(device))
        return [
            states[0 if premises else row.middle : len(row)]
            for states, row in zip(hidden, rows, strict=True)
        ]


class _Linear:
    """A linear layer, with gelu behind it or nothing."""

    def __init__(self, linear: nn.Linear, *, gelu: bool = False) -> None:
        self._weight, self._bias = linear.weight, linear.bias
        self._gelu = gelu
        self._packed = _can_pack()
        if self._packed:
            self._weight = torch.ops.mkldnn._reorder_linear_weight(self._weight, PACKED_FOR)

    def __call__(self, states: Tensor) -> Tensor:
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


class _Layer:
    """What `network.Layer` computes, over tokens in one line: (T, width) in and out."""

    def __init__(self, layer: Layer) -> None:
        self._heads = layer.heads
        self._mixed, self._out = _Linear(layer.mixed), _Linear(layer.out)
        self._inner = _Linear(layer.inner, gelu=True)
        self._outer = _Linear(layer.outer)
        self._out_norm, self._outer_norm = layer.out_norm, layer.outer_norm

    def __call__(self, hidden: Tensor, stretches: Sequence[Stretch]) -> Tensor:
        seen = attend_in_line(self._mixed(hidden), self._heads, stretches)
        return self._fed(hidden, seen)

    def last(self, hidden: Tensor, stretches: Sequence[Stretch], *, premises: bool) -> Tensor:
        """The same for the tokens that are asked for alone, filled up to a multiple of `STEP`."""
        seen = attend_in_line(self._mixed(hidden), self._heads, stretches, premises=premises)
        kept: list[int] = []
        for row in stretches:
            kept += range(row.start if premises else row.middle, row.end)
        kept += [kept[0]] * (-len(kept) % STEP)
        places = torch.tensor(kept)
        return self._fed(hidden[places], seen[places])

    def _fed(self, hidden: Tensor, seen: Tensor) -> Tensor:
        # In place: nobody else holds these states, and fresh memory is slow.
        hidden = self._out_norm(hidden.add_(self._out(seen)))
        normed: Tensor = self._outer_norm(hidden.add_(self._outer(self._inner(hidden))))
        return normed
