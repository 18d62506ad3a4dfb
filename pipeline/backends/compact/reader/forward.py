"""Inference from texts to results, without a cache (see `model.Reader`)."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from pipeline.backends.compact.reader.layout import (
    HYPOTHESIS_TOKENS,
    PREMISE_TOKENS,
    Encoded,
    EncodedRow,
    PackedRow,
    batches,
    group_by_premise,
    masked,
    pad_rows,
)
from pipeline.backends.compact.reader.network import ReaderNetwork
from pipeline.backends.compact.reader.results import (
    NliProbabilities,
    PointerQuery,
    Read,
    SpanLogits,
    by_word,
)
from pipeline.backends.devices import chosen_device

CPU_TOKENS, GPU_TOKENS = 1024, 32768
"""Tokens of a batch: enough to keep the cores busy, few enough to stay in their caches."""
PREMISES = 512
"""Cached encodings of premises."""


class ReaderInference:
    """One network on one device."""

    def __init__(
        self, network: ReaderNetwork, tokenizer: Tokenizer, *, threads: int, device: str
    ) -> None:
        self._device = chosen_device(device)
        if threads:
            torch.set_num_threads(threads)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._network = network.eval().requires_grad_(False).to(self._device)
        self._batch_tokens = CPU_TOKENS if self._device.type == "cpu" else GPU_TOKENS
        self._premise = lru_cache(maxsize=PREMISES)(self._encode)

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Read]:
        hypotheses = [self._encode(hypothesis).cut(0, HYPOTHESIS_TOKENS) for _, hypothesis in pairs]
        seats = list(zip(self._premises([p for p, _ in pairs]), hypotheses, strict=True))
        reads: dict[int, Read] = {}
        for batch, hidden in self._hidden(group_by_premise(seats), premises=False):
            doubts = [self._network.score_words(states).sigmoid().tolist() for states in hidden]
            firsts = [[first - row.middle for first in row.firsts()] for row, _ in batch]
            marks = torch.cat([states[at] for states, at in zip(hidden, firsts, strict=True)])
            verdicts = self._network.judge(marks)[0].softmax(-1).tolist()
            places = (
                (index, number, first)
                for number, (_, indices) in enumerate(batch)
                for index, first in zip(indices, firsts[number], strict=True)
            )
            for (index, row, first), verdict in zip(places, verdicts, strict=True):
                spans = hypotheses[index].spans
                values = doubts[row][first + 1 : first + 1 + len(spans)]
                reads[index] = Read(
                    verdict=NliProbabilities(
                        entailment=verdict[0], neutral=verdict[1], contradiction=verdict[2]
                    ),
                    doubts=by_word(pairs[index][1], spans, values),
                )
        return [reads[index] for index in range(len(pairs))]

    def point(self, asks: Sequence[PointerQuery]) -> list[SpanLogits]:
        questions = [_around(*masked(self._encode(ask.text), ask.start, ask.end)) for ask in asks]
        premises = self._premises([ask.premise for ask in asks])
        seats = [(p, text) for p, (text, _) in zip(premises, questions, strict=True)]
        logits_by_query: dict[int, SpanLogits] = {}
        for batch, hidden in self._hidden(group_by_premise(seats), premises=True):
            for (row, indices), states in zip(batch, hidden, strict=True):
                masks = [
                    first + 1 + questions[index][1]
                    for first, index in zip(row.firsts(), indices, strict=True)
                ]
                spans = np.array(row.premise.spans, dtype=np.int32).reshape(-1, 2)
                # Position 0, the premise's [CLS], means no answer.
                offered = states[: len(spans) + 1].expand(len(masks), -1, -1)
                begins, ends = self._network.point(states[masks], offered)
                logits = torch.stack([begins, ends], 1).cpu().numpy()
                for index, (begin, end) in zip(indices, logits, strict=True):
                    logits_by_query[index] = SpanLogits(
                        none=float(begin[0] + end[0]),
                        spans=spans,
                        starts=begin[1:].copy(),
                        ends=end[1:].copy(),
                    )
        return [logits_by_query[index] for index in range(len(asks))]

    def vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        rows = (
            (EncodedRow(premise=each, hypotheses=()), [index])
            for index, each in enumerate(self._premises(texts))
        )
        vectors: dict[int, NDArray[np.float32]] = {}
        for batch, hidden in self._hidden(rows, premises=True):
            for (_, [index]), states in zip(batch, hidden, strict=True):
                vectors[index] = states[1:-1].cpu().numpy().copy()
        return [vectors[index] for index in range(len(texts))]

    def tokens(self, premise: str) -> tuple[Sequence[tuple[int, int]], int]:
        """Return the spans of the premise's tokens, and how many are read at once."""
        return self._premise(premise).spans, PREMISE_TOKENS

    def _encode(self, text: str) -> Encoded:
        # A batch would start a thread per core.
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return Encoded(tuple(encoding.ids), tuple(encoding.offsets))

    def _premises(self, texts: Sequence[str]) -> list[Encoded]:
        return [self._premise(text).cut(0, PREMISE_TOKENS) for text in texts]

    def _hidden(
        self, rows: Iterable[PackedRow], *, premises: bool
    ) -> Iterator[tuple[list[PackedRow], list[Tensor]]]:
        """Yield batches with the last hidden states of each row; see `_states`."""
        with torch.inference_mode():
            for batch in batches(rows, tokens=self._batch_tokens):
                yield batch, self._states([row for row, _ in batch], premises=premises)

    def _states(self, rows: Sequence[EncodedRow], *, premises: bool) -> list[Tensor]:
        """Return each row's last hidden states, (tokens, width), or those of its hypotheses."""
        hidden = self._network(pad_rows(rows).to(self._device))
        return [
            states[0 if premises else row.middle : len(row)]
            for states, row in zip(hidden, rows, strict=True)
        ]


def _around(text: Encoded, mask: int) -> tuple[Encoded, int]:
    start = max(0, min(mask - HYPOTHESIS_TOKENS // 2, len(text.ids) - HYPOTHESIS_TOKENS))
    return text.cut(start, start + HYPOTHESIS_TOKENS), mask - start
