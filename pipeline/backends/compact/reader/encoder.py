"""The network's layers over rows of unequal length: packed on the CPU, padded on a GPU.

Everything is counted in float32, also where a machine is faster in bfloat16: scores of bfloat16
differ by a thousandth from one processor to the next, those of float32 by a millionth.

Packed, the tokens of all rows stand in one long line, and only attention tells rows apart. So
little is padded, and what is computed of a row does not depend on the others.
"""

from collections import deque
from collections.abc import Sequence
from typing import Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.backends.compact.reader.layout import Row, lay, lay_in_line
from pipeline.backends.compact.reader.network import Layer, ReaderNetwork
from pipeline.backends.compact.reader.packed_attention import (
    Past,
    Stretch,
    attend_in_line,
    stretches_of,
)

STEP = 64
"""Packed tokens are filled up to a multiple: each new size costs the library a preparation."""

PACKED_FOR = 512
"""Tokens at a time that packed weights are best for."""

KEPT = 4
"""Premises, of 5 MB at most, that are kept as a pass left them: a choice points at one before it
reads several sentences beside it, and the next question of a passage mostly finds it again."""


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
        self._layers = [_Layer(cast(Layer, layer), n) for n, layer in enumerate(network.layers)]
        self._kept: deque[tuple[tuple[int, ...], Past]] = deque(maxlen=KEPT)
        # They are kept as the library packs them, and in that way alone.
        del network.layers

    def __call__(self, rows: Sequence[Row], *, premises: bool) -> list[Tensor]:
        stretches = stretches_of(rows, [self._past(row, premises=premises) for row in rows])
        starts = [r.middle if s.is_known else 0 for r, s in zip(rows, stretches, strict=True)]
        hidden = self._network.embed(lay_in_line(rows, step=STEP, starts=starts))[0]
        for layer in self._layers[:-1]:
            hidden = layer(hidden, stretches)
        hidden = self._layers[-1].last(hidden, stretches, premises=premises)
        sizes = [s.end - (s.start if premises else s.middle) for s in stretches]
        found = list(torch.split_with_sizes(hidden[: sum(sizes)], sizes))
        if premises:
            found = [self._whole(*each) for each in zip(rows, stretches, found, strict=True)]
        return found

    def _past(self, row: Row, *, premises: bool) -> Past | None:
        """A known past of the row's premise, an empty one to be filled, or None for neither."""
        if not row.hypotheses:
            return None
        known = (past for ids, past in self._kept if ids == row.premise.ids)
        return next(known, Past() if premises else None)

    def _whole(self, row: Row, stretch: Stretch, states: Tensor) -> Tensor:
        """All states of a row, its premise's kept or from the kept ones."""
        past = stretch.past
        if past is None:
            return states
        if past.states is not None:
            return torch.cat([past.states, states])
        past.states = states[: row.middle].clone()
        self._kept.append((row.premise.ids, past))
        return states


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

    def __init__(self, layer: Layer, number: int) -> None:
        self._heads, self._number = layer.heads, number
        self._mixed, self._out = _Linear(layer.mixed), _Linear(layer.out)
        self._inner = _Linear(layer.inner, gelu=True)
        self._outer = _Linear(layer.outer)
        self._out_norm, self._outer_norm = layer.out_norm, layer.outer_norm

    def __call__(self, hidden: Tensor, stretches: Sequence[Stretch]) -> Tensor:
        return self._fed(hidden, self._attend(hidden, stretches))

    def last(self, hidden: Tensor, stretches: Sequence[Stretch], *, premises: bool) -> Tensor:
        """The same for the tokens that are asked for alone, filled up to a multiple of `STEP`."""
        seen = self._attend(hidden, stretches, premises=premises)
        kept: list[int] = []
        for row in stretches:
            kept += range(row.start if premises else row.middle, row.end)
        kept += [kept[0]] * (-len(kept) % STEP)
        places = torch.tensor(kept)
        return self._fed(hidden[places], seen[places])

    def _attend(
        self, hidden: Tensor, stretches: Sequence[Stretch], *, premises: bool = True
    ) -> Tensor:
        mixed = self._mixed(hidden)
        return attend_in_line(mixed, self._heads, stretches, layer=self._number, premises=premises)

    def _fed(self, hidden: Tensor, seen: Tensor) -> Tensor:
        # In place: nobody else holds these states, and fresh memory is slow.
        hidden = self._out_norm(hidden.add_(self._out(seen)))
        normed: Tensor = self._outer_norm(hidden.add_(self._outer(self._inner(hidden))))
        return normed
