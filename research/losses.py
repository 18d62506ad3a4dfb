"""What the reader is asked to get right, as one number."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from pipeline.backends.compact.reader.network import ReaderNetwork
from research.batches import SUPPORTED, UNSUPPORTED, Batch

SWAPPED = 0.25
"""The vote of a spoiled copy in the NLI part; the ranking part is theirs alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each part counts; 0 leaves it out (the ablations of the model card)."""

    nli: float = 1.0
    rank: float = 0.5
    doubt: float = 1.0
    some_doubt: float = 0.15
    point: float = 1.0
    relevance: float = 0.3


def losses(network: ReaderNetwork, batch: Batch, hidden: Tensor) -> dict[str, Tensor]:
    """Each part's mean over the hypotheses that it is known for; absent where none is."""
    found: dict[str, Tensor] = {}
    nli, relevance = network.judge(hidden[batch.row_of, batch.first])
    shares = nli.log_softmax(-1)
    entailed = shares[:, 0]
    not_entailed = torch.logsumexp(shares[:, 1:], -1)
    picked = shares.gather(1, batch.labels.clamp(0, 2)[:, None]).squeeze(1)
    picked = torch.where(batch.labels == SUPPORTED, entailed, picked)
    picked = torch.where(batch.labels == UNSUPPORTED, not_entailed, picked)
    # Swapped copies are the most: at a whole vote each they drown what people said.
    votes = torch.where(batch.beaten_by >= 0, SWAPPED, batch.votes) * (batch.labels >= 0)
    if votes.any():
        found["nli"] = -(picked * votes).sum() / votes.sum()
    copies = batch.beaten_by >= 0
    if copies.any():
        margin = entailed - not_entailed
        ahead = margin[batch.beaten_by[copies]] - margin[copies]
        found["rank"] = -functional.logsigmoid(ahead).mean()
    known = batch.relevant >= 0
    if known.any():
        found["relevance"] = functional.binary_cross_entropy_with_logits(
            relevance[known], batch.relevant[known].float()
        )
    found |= _doubts(network, batch, hidden)
    found |= _points(network, batch, hidden)
    return found


def _doubts(network: ReaderNetwork, batch: Batch, hidden: Tensor) -> dict[str, Tensor]:
    found: dict[str, Tensor] = {}
    known = batch.doubts >= 0
    logits = network.score_words(hidden)
    if known.any():
        found["doubt"] = functional.binary_cross_entropy_with_logits(
            logits[known], batch.doubts[known].float(), pos_weight=torch.tensor(4.0)
        )
    # Where people only said that something is wrong, some word of it must be.
    wrong = torch.isin(batch.labels, torch.tensor([1, 2, UNSUPPORTED])) & (batch.beaten_by < 0)
    if wrong.any():
        numbers = batch.rows.segments[batch.row_of[wrong]]
        own = batch.rows.segments[batch.row_of[wrong], batch.first[wrong]]
        mine = numbers == own[:, None]
        highest = logits[batch.row_of[wrong]].masked_fill(~mine, -30.0).amax(-1)
        found["some_doubt"] = functional.softplus(-highest).mean()
    return found


def _points(network: ReaderNetwork, batch: Batch, hidden: Tensor) -> dict[str, Tensor]:
    asked = batch.masks >= 0
    if not asked.any():
        return {}
    rows = batch.row_of[asked]
    places = batch.masks[asked]
    starts, ends = network.point(hidden[rows, places], hidden[rows])
    outside = batch.rows.segments[rows] != 0
    total = torch.zeros(())
    for logits, right in ((starts, batch.starts[asked]), (ends, batch.ends[asked])):
        shares = logits.float().masked_fill(outside, -1e4).log_softmax(-1)
        total = total - torch.logsumexp(shares.masked_fill(~right, -1e4), -1).mean()
    return {"point": total / 2}
