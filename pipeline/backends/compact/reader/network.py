"""The reader's network: BERT that reads a premise once for many hypotheses.

A row is `[CLS] premise [SEP]`, then `[CLS] hypothesis [SEP]` each. Tokens attend to the premise and
their own hypothesis.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

NLI_LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkConfig:
    """The sizes of the network, by default those of all-MiniLM-L6-v2."""

    vocabulary: int = 30522
    positions: int = 512
    width: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    pointer: int = 128
    """Width of the space of questions and answers."""
    epsilon: float = 1e-12


class Rows(NamedTuple):
    """B rows of at most L tokens, padded: int64 tensors of shape (B, L)."""

    ids: Tensor
    positions: Tensor
    """From 0 in the premise and in each hypothesis."""
    segments: Tensor
    """-1 padding, 0 premise, 1, 2, … hypotheses."""
    matches: Tensor
    """0 for premise and marks, else `layout.matches_of`."""

    def to(self, device: torch.device) -> "Rows":
        return Rows(*(each.to(device) for each in self))


class Layer(nn.Module):
    """BERT's layer: attention and feed-forward net, each added and normalized."""

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
    """The trunk and its four heads."""

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
        """Return the last hidden states, (B, L, width)."""
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
        """Return NLI logits (N, 3) and relevance (N,) for [CLS] states (N, width)."""
        pooled = functional.gelu(self.pooled(firsts))
        return self.nli(pooled), self.relevance(pooled).squeeze(-1)

    def score_words(self, hidden: Tensor) -> Tensor:
        """Return the logit, (…), that each word is unsupported, for states (…, width)."""
        logits: Tensor = self.unsupported(hidden).squeeze(-1)
        return logits

    def point(self, masks: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits of each answer's first and last token, (N, L) each.

        `masks` (N, width) are states of [MASK], `hidden` (N, L, width) those of their rows.
        Position 0, [CLS], means no answer; the caller drops those after the premise.
        """
        size = self.shape.pointer
        queries = self.asking(masks).view(-1, 2, size)
        keys = self.answering(hidden).view(*hidden.shape[:2], 2, size)
        logits = torch.einsum("nks,nlks->nkl", queries, keys) * size**-0.5
        return logits[:, 0], logits[:, 1]


def allowed_by(segments: Tensor) -> Tensor:
    """Return the attention mask, (B, 1, L, L), True if allowed."""
    theirs, mine = segments[:, None, :], segments[:, :, None]
    return ((theirs == 0) | ((theirs == mine) & (theirs > 0)))[:, None]
