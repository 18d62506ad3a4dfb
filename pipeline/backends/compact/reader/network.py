"""The reader's network: a six-layer BERT encoder whose premise is read once for many hypotheses.

One row holds `[CLS] premise [SEP]` and then any number of `[CLS] hypothesis [SEP]`. A premise
token attends to the premise alone; a hypothesis token to the premise and to its own hypothesis.
So what is said of one hypothesis does not depend on the others in the row, and a premise is paid
for once. Attention by segment is the only difference from `transformers.BertModel`; the bench
research/readers.py scores the same weights through that.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

NLI_LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkConfig:
    """The sizes of the network; the defaults are all-MiniLM-L6-v2's."""

    vocabulary: int = 30522
    positions: int = 512
    width: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    pointer: int = 128
    """Width of the space in which a question points at its answer."""
    epsilon: float = 1e-12


class Rows(NamedTuple):
    """B rows of at most L tokens, padded; every tensor is int64 of shape (B, L)."""

    ids: Tensor
    positions: Tensor
    """Places in the premise or in the hypothesis; each begins at 0."""
    segments: Tensor
    """-1 padding, 0 premise, 1, 2, … the hypotheses."""
    matches: Tensor
    """0 not asked (premise, marks), 1 absent from the premise, 2 in it, 3 in it with a
    neighbour: what `layout.matches_of` gives."""

    def to(self, device: torch.device) -> "Rows":
        return Rows(*(each.to(device) for each in self))


class Layer(nn.Module):
    """BERT's layer: attention, then a feed-forward net, each added and normalised."""

    def __init__(self, shape: NetworkConfig) -> None:
        super().__init__()
        self.heads = shape.heads
        self.mixed = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.out_norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.inner = nn.Linear(shape.width, shape.inner)
        self.outer = nn.Linear(shape.inner, shape.width)
        self.outer_norm = nn.LayerNorm(shape.width, eps=shape.epsilon)

    def forward(self, hidden: Tensor, allowed: Tensor) -> Tensor:
        rows, length, width = hidden.shape
        mixed = self.mixed(hidden).view(rows, length, 3, self.heads, width // self.heads)
        query, key, value = mixed.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
        seen = seen.transpose(1, 2).reshape(rows, length, width)
        hidden = self.out_norm(hidden + self.out(seen))
        inner = functional.gelu(self.inner(hidden))
        normed: Tensor = self.outer_norm(hidden + self.outer(inner))
        return normed


class ReaderNetwork(nn.Module):
    """The trunk and its four heads; see `forward` and the methods named after the heads."""

    def __init__(self, shape: NetworkConfig | None = None) -> None:
        super().__init__()
        self.shape = shape or NetworkConfig()
        width = self.shape.width
        self.words = nn.Embedding(self.shape.vocabulary, width)
        self.places = nn.Embedding(self.shape.positions, width)
        self.kinds = nn.Embedding(2, width)
        self.matched = nn.Embedding(4, width)
        nn.init.zeros_(self.matched.weight)
        self.norm = nn.LayerNorm(width, eps=self.shape.epsilon)
        self.layers = nn.ModuleList(Layer(self.shape) for _ in range(self.shape.layers))
        self.pooled = nn.Linear(width, width)
        self.nli = nn.Linear(width, len(NLI_LABELS))
        self.relevance = nn.Linear(width, 1)
        self.unsupported = nn.Linear(width, 1)
        self.asking = nn.Linear(width, 2 * self.shape.pointer)
        self.answering = nn.Linear(width, 2 * self.shape.pointer)

    def forward(self, rows: Rows) -> Tensor:
        """The last hidden states, (B, L, width)."""
        kinds = (rows.segments > 0).long()
        summed = (
            self.words(rows.ids)
            + self.places(rows.positions)
            + self.kinds(kinds)
            + self.matched(rows.matches)
        )
        hidden: Tensor = self.norm(summed)
        allowed = allowed_by(rows.segments)
        for layer in self.layers:
            hidden = layer(hidden, allowed)
        return hidden

    def judge(self, firsts: Tensor) -> tuple[Tensor, Tensor]:
        """Of each hypothesis's [CLS] state, (N, width): NLI logits (N, 3), relevance (N,)."""
        pooled = functional.gelu(self.pooled(firsts))
        return self.nli(pooled), self.relevance(pooled).squeeze(-1)

    def score_words(self, hidden: Tensor) -> Tensor:
        """Of any states (…, width): the logit that this word is not supported, (…)."""
        logits: Tensor = self.unsupported(hidden).squeeze(-1)
        return logits

    def point(
        self, masks: Tensor, hidden: Tensor, rows: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Logits of where each answer begins and ends, (N, L) each.

        `masks` (N, width) are states of [MASK] tokens; `hidden` (B, L, width) those of the
        rows, and `rows` (N,) says in which of them each mask stands; None means B = N, in
        order. The caller leaves out what is not premise; place 0, the premise's [CLS], means
        that it has no answer.
        """
        size = self.shape.pointer
        queries = self.asking(masks).view(-1, 2, size)
        # Once a row, however many ask it.
        keys = self.answering(hidden).view(*hidden.shape[:2], 2, size)
        if rows is not None:
            keys = keys[rows]
        logits = torch.einsum("nks,nlks->nkl", queries, keys) * size**-0.5
        return logits[:, 0], logits[:, 1]


def allowed_by(segments: Tensor) -> Tensor:
    """Which token may attend to which, (B, 1, L, L), True for may."""
    theirs, mine = segments[:, None, :], segments[:, :, None]
    return ((theirs == 0) | ((theirs == mine) & (theirs > 0)))[:, None]
