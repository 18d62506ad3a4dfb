"""Groups as padded batches with their targets."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

from pipeline.backends.compact.reader.layout import (
    HYPOTHESIS_TOKENS,
    PREMISE_TOKENS,
    Encoded,
    EncodedRow,
    masked,
    pad_rows,
)
from pipeline.backends.compact.reader.network import NLI_LABELS, Rows
from research.groups import Group, Hypothesis, Place

SUPPORTED, UNSUPPORTED = 3, 4
"""Classes of `Batch.labels` beyond NLI_LABELS, where only support is known."""
_CLASSES = {name: i for i, name in enumerate((*NLI_LABELS, "supported", "unsupported"))}
ROW_TOKENS = 640
"""A row with more leaves its last hypotheses out."""


def encode(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Encoded]:
    """The texts in tokens; the tokenizer must neither cut nor pad."""
    found = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [Encoded(tuple(each.ids), tuple(each.offsets)) for each in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """B rows with N hypotheses in all; -1 where a target is not known."""

    rows: Rows
    row_of: Tensor
    """(N,) the row of each hypothesis."""
    first: Tensor
    """(N,) the place of its [CLS]."""
    votes: Tensor
    """(N,) how much each label counts."""
    labels: Tensor
    """(N,) 0–2 as NLI_LABELS, 3 supported, 4 unsupported, -1."""
    relevant: Tensor
    """(N,) 1, 0 or -1."""
    beaten_by: Tensor
    """(N,) the number of its sound sentence among the N, or -1."""
    masks: Tensor
    """(N,) the place of its [MASK], or -1."""
    starts: Tensor
    """(N, L) True where an answer begins; place 0 where there is none."""
    ends: Tensor
    doubts: Tensor
    """(B, L) 1 for a word that the premise does not support, 0 for one that it does, -1."""

    @property
    def tokens(self) -> int:
        return int((self.rows.segments >= 0).sum())


@dataclass(frozen=True, slots=True)
class _Laid:
    row: EncodedRow
    hypotheses: tuple[Hypothesis, ...]
    masks: tuple[int, ...]
    """Of each hypothesis the place of its [MASK] among its tokens, or -1."""


def batches(
    groups: Sequence[Group], tokenizer: Tokenizer, *, tokens: int, rng: random.Random
) -> Iterator[Batch]:
    """The groups in batches of about `tokens` padded tokens, rows of like length together."""
    laid: list[_Laid] = []
    for start in range(0, len(groups), 256):
        laid += _lay_out(groups[start : start + 256], tokenizer)
    laid.sort(key=lambda each: len(each.row) + rng.random())
    parts: list[list[_Laid]] = []
    for each in laid:
        if parts and (len(parts[-1]) + 1) * len(each.row) <= tokens:
            parts[-1].append(each)
        else:
            parts.append([each])
    rng.shuffle(parts)
    for part in parts:
        yield _batch(part)


def _lay_out(groups: Sequence[Group], tokenizer: Tokenizer) -> Iterator[_Laid]:
    premises = encode(tokenizer, [group.premise for group in groups])
    texts = iter(encode(tokenizer, [h.text for group in groups for h in group.hypotheses]))
    for group, premise in zip(groups, premises, strict=True):
        premise = premise.cut(0, PREMISE_TOKENS)
        size = len(premise.ids) + 2
        encoded: list[Encoded] = []
        kept: list[Hypothesis] = []
        places: list[int] = []
        for hypothesis in group.hypotheses:
            text, place = next(texts), -1
            if hypothesis.mask:
                text, place = masked(text, *hypothesis.mask)
            text = text.cut(0, HYPOTHESIS_TOKENS)
            if size + len(text.ids) + 2 > ROW_TOKENS or place >= len(text.ids):
                text, place, hypothesis = Encoded((), ()), -1, Hypothesis(text="")
            size += len(text.ids) + 2
            encoded.append(text)
            kept.append(hypothesis)
            places.append(place)
        yield _Laid(EncodedRow(premise=premise, hypotheses=tuple(encoded)), tuple(kept), tuple(places))


def _tokens_of(encoded: Encoded, place: Place) -> tuple[int, int] | None:
    """The first and last token of the characters start:end; None where they were cut off."""
    found = [i for i, (s, e) in enumerate(encoded.spans) if s < place[1] and place[0] < e]
    if not found or encoded.spans[-1][1] < place[1]:
        return None
    return found[0], found[-1]


def _batch(part: Sequence[_Laid]) -> Batch:
    rows = pad_rows([each.row for each in part])
    length = rows.ids.shape[1]
    count = sum(len(each.hypotheses) for each in part)
    doubts = torch.full(rows.ids.shape, -1)
    starts = torch.zeros((count, length), dtype=torch.bool)
    ends = torch.zeros((count, length), dtype=torch.bool)
    columns: dict[str, list[int]] = {
        name: [] for name in ("row_of", "first", "labels", "relevant", "beaten_by", "masks")
    }
    votes: list[float] = []
    number = 0
    for index, each in enumerate(part):
        base = number
        premise = each.row.premise
        for hypothesis, text, place, first in zip(
            each.hypotheses, each.row.hypotheses, each.masks, each.row.firsts(), strict=True
        ):
            label = hypothesis.label
            columns["row_of"].append(index)
            columns["first"].append(first)
            columns["labels"].append(-1 if label is None else _CLASSES[label])
            columns["relevant"].append(
                -1 if hypothesis.relevant is None else int(hypothesis.relevant)
            )
            beats = hypothesis.beaten_by
            columns["beaten_by"].append(-1 if beats is None else base + beats)
            if place >= 0:
                spans = [_tokens_of(premise, answer) for answer in hypothesis.answers]
                seen = [span for span in spans if span]
                if hypothesis.answers and not seen:
                    place = -1
                for start, end in seen:
                    starts[number, start + 1] = True
                    ends[number, end + 1] = True
                if not seen:
                    starts[number, 0] = ends[number, 0] = True
            columns["masks"].append(first + 1 + place if place >= 0 else -1)
            if hypothesis.wrong is not None and hypothesis.mask is None:
                doubts[index, first + 1 : first + 1 + len(text.ids)] = 0
                for wrong in hypothesis.wrong:
                    span = _tokens_of(text, wrong)
                    if span:
                        doubts[index, first + 1 + span[0] : first + 2 + span[1]] = 1
            elif hypothesis.mask is None:
                for missing in hypothesis.missing:
                    span = _tokens_of(text, missing)
                    if span:
                        doubts[index, first + 1 + span[0] : first + 2 + span[1]] = 1
            votes.append(hypothesis.vote)
            number += 1
    made = {name: torch.tensor(column) for name, column in columns.items()}
    return Batch(
        rows=rows, starts=starts, ends=ends, doubts=doubts, votes=torch.tensor(votes), **made
    )
