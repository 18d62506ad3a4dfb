"""BERTScore: how alike two texts are, by the vectors of their tokens (Zhang et al. 2020).

Which vectors they are decides what the figures mean: those of two encoders cannot be put beside
each other. The vectors come from outside (`pipeline.backends.token_vectors`).
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Of a text, (tokens, width)."""


class BertScore(NamedTuple):
    """From -1.0 to 1.0, in practice above 0."""

    precision: float
    """How well the candidate's tokens are found in the reference."""
    recall: float
    """How well the reference's tokens are found in the candidate."""
    f1: float


def bertscore(
    candidate: Vectors,
    reference: Vectors,
    *,
    candidate_weights: Sequence[float] | None = None,
    reference_weights: Sequence[float] | None = None,
) -> BertScore | None:
    """Each token against the most similar one of the other text, by cosine; section 3 there.

    Weights are the tokens' (`idf_weights`), all the same by default. Not rescaled by a baseline.
    None where a text has no token, or no token of any weight.

    >>> one = np.array([[1.0, 0.0], [0.0, 2.0]], dtype=np.float32)
    >>> bertscore(one, one[:1])
    BertScore(precision=0.5, recall=1.0, f1=0.6666666666666666)
    >>> bertscore(one, one[:0]) is None
    True
    """
    if not len(candidate) or not len(reference):
        return None
    alike = unit_rows(candidate) @ unit_rows(reference).T
    precision = _mean(alike.max(axis=1), candidate_weights)
    recall = _mean(alike.max(axis=0), reference_weights)
    if precision is None or recall is None:
        return None
    both = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / both if both > 0 else 0.0)


def idf_weights(
    tokens: Iterable[Hashable], references: Mapping[Hashable, int], *, n: int
) -> list[float]:
    """The weight of each token: how rare it is among `n` references, with one added to each count.

    `references` says in how many of them a token is (`document_counts`).
    """
    return [math.log((n + 1) / (references.get(token, 0) + 1)) for token in tokens]


def document_counts(references: Iterable[Iterable[Hashable]]) -> Counter[Hashable]:
    """In how many of the references each token is."""
    return Counter(token for each in references for token in set(each))


def unit_rows(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Each row at length 1, but for rows of zeros."""
    wide = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return wide / np.where(lengths == 0, 1.0, lengths)


def _mean(values: NDArray[np.float64], weights: Sequence[float] | None) -> float | None:
    if weights is None:
        return float(values.mean())
    total = math.fsum(weights)
    return float(values @ np.asarray(weights)) / total if total > 0 else None
