"""From texts through the network to answers; remembers nothing (see `model.Reader`)."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from pipeline.backends.compact.reader.batches import Seated, batches
from pipeline.backends.compact.reader.devices import chosen_device, chosen_precision
from pipeline.backends.compact.reader.doubting import by_word
from pipeline.backends.compact.reader.layout import (
    HYPOTHESIS_TOKENS,
    PREMISE_TOKENS,
    Encoded,
    lay,
    masked,
)
from pipeline.backends.compact.reader.model import Ask, Pointed, Read, Verdict3
from pipeline.backends.compact.reader.network import ReaderNetwork

PREMISES = 512
"""Premises whose tokens are kept: their hypotheses come in several calls."""


class Forward:
    """One network on one device."""

    def __init__(
        self,
        network: ReaderNetwork,
        tokenizer: Tokenizer,
        *,
        threads: int,
        device: str,
        precision: str,
    ) -> None:
        self._device = chosen_device(device)
        self._precision = chosen_precision(precision, self._device)
        if threads:
            torch.set_num_threads(threads)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._network = network.eval().to(self._device)
        self._premise = lru_cache(maxsize=PREMISES)(self._encode)

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Read]:
        hypotheses = self._hypotheses([hypothesis for _, hypothesis in pairs])
        seats = list(zip(self._premises([p for p, _ in pairs]), hypotheses, strict=True))
        found: dict[int, Read] = {}
        for batch, hidden in self._hidden(seats):
            rows, places = _places_of(batch)
            verdicts = self._network.judge(hidden[rows, places])[0].softmax(-1).tolist()
            doubts = self._network.doubt(hidden).sigmoid().tolist()
            asked = (index for seated in batch for index in seated.asked)
            for index, row, place, verdict in zip(asked, rows, places, verdicts, strict=True):
                spans = hypotheses[index].spans
                values = doubts[row][place + 1 : place + 1 + len(spans)]
                found[index] = Read(
                    verdict=Verdict3(
                        entailment=verdict[0], neutral=verdict[1], contradiction=verdict[2]
                    ),
                    doubts=by_word(pairs[index][1], spans, values),
                )
        return [found[index] for index in range(len(pairs))]

    def relevance(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        queries = self._hypotheses([query for query, _ in pairs])
        seats = list(zip(self._premises([s for _, s in pairs]), queries, strict=True))
        found: dict[int, float] = {}
        for batch, hidden in self._hidden(seats):
            rows, places = _places_of(batch)
            scores = self._network.judge(hidden[rows, places])[1].sigmoid().tolist()
            found.update(zip((i for seated in batch for i in seated.asked), scores, strict=True))
        return [found[index] for index in range(len(pairs))]

    def point(self, asks: Sequence[Ask]) -> list[Pointed]:
        questions = [_around(*masked(self._encode(ask.text), ask.start, ask.end)) for ask in asks]
        premises = self._premises([ask.premise for ask in asks])
        seats = [(p, text) for p, (text, _) in zip(premises, questions, strict=True)]
        found: dict[int, Pointed] = {}
        size = self._network.shape.pointer
        for batch, hidden in self._hidden(seats):
            offered = self._network.answering(hidden)
            for seated, row, states in zip(batch, offered, hidden, strict=True):
                firsts = seated.row.firsts()
                masks = [
                    first + 1 + questions[index][1]
                    for first, index in zip(firsts, seated.asked, strict=True)
                ]
                asked = self._network.asking(states[masks]).view(-1, 2, size)
                places = row[: len(seated.row.premise.ids) + 1].view(-1, 2, size)
                logits = torch.einsum("nks,lks->nkl", asked, places) * size**-0.5
                spans = np.array(seated.row.premise.spans, dtype=np.int32).reshape(-1, 2)
                for index, (starts, ends) in zip(
                    seated.asked, logits.float().cpu().numpy(), strict=True
                ):
                    found[index] = Pointed(
                        none=float(starts[0] + ends[0]),
                        spans=spans,
                        starts=starts[1:].copy(),
                        ends=ends[1:].copy(),
                    )
        return [found[index] for index in range(len(asks))]

    def tokens(self, premise: str) -> tuple[Sequence[tuple[int, int]], int]:
        """Where the tokens of the whole premise stand, and how many are read at once."""
        return self._premise(premise).spans, PREMISE_TOKENS

    def _encode(self, text: str) -> Encoded:
        # One at a time: a batch would start threads of the tokenizer's own, as many as cores.
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return Encoded(tuple(found.ids), tuple(found.offsets))

    def _premises(self, texts: Sequence[str]) -> list[Encoded]:
        return [self._premise(text).cut(0, PREMISE_TOKENS) for text in texts]

    def _hypotheses(self, texts: Sequence[str]) -> list[Encoded]:
        return [each.cut(0, HYPOTHESIS_TOKENS) for each in map(self._encode, texts)]

    def _hidden(
        self, seats: Sequence[tuple[Encoded, Encoded]]
    ) -> Iterator[tuple[list[Seated], Tensor]]:
        """The batches with their last hidden states, float32."""
        low = self._precision is not torch.float32
        with torch.inference_mode():
            for batch in batches(seats):
                rows = lay([seated.row for seated in batch]).to(self._device)
                with torch.autocast(self._device.type, dtype=self._precision, enabled=low):
                    hidden = self._network(rows)
                yield batch, hidden.float()


def _places_of(batch: Sequence[Seated]) -> tuple[list[int], list[int]]:
    """Row and column of each hypothesis's [CLS], in the batch's order."""
    places = [(row, at) for row, seated in enumerate(batch) for at in seated.row.firsts()]
    return [row for row, _ in places], [at for _, at in places]


def _around(text: Encoded, place: int) -> tuple[Encoded, int]:
    """A question cut to the longest that is read, with its mask in it."""
    start = max(0, min(place - HYPOTHESIS_TOKENS // 2, len(text.ids) - HYPOTHESIS_TOKENS))
    return text.cut(start, start + HYPOTHESIS_TOKENS), place - start
