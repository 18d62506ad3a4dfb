"""BERTScore: how alike two texts are, by the vectors of their tokens (Zhang et al. 2020).

Which vectors they are decides what the figures mean: those of two encoders cannot be put beside
each other. The vectors come from outside (`pipeline.backends.token_vectors`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.metrics.f1 import harmonic_mean

Vectors = NDArray[np.float32]
"""Of a text, (tokens, width)."""


class BertScore(NamedTuple):
    """From -1.0 to 1.0, in practice above 0."""

    precision: float
    """How well the candidate's tokens are found in the reference."""
    recall: float
    """How well the reference's tokens are found in the candidate."""
    f1: float


def bertscore(candidate: Vectors, reference: Vectors) -> BertScore | None:
    """Each token against the most similar one of the other text, by cosine; section 3 there.

    Without idf, and not rescaled by a baseline. None where a text has no token.

    >>> one = np.array([[1.0, 0.0], [0.0, 2.0]], dtype=np.float32)
    >>> bertscore(one, one[:1])
    BertScore(precision=0.5, recall=1.0, f1=0.6666666666666666)
    >>> bertscore(one, one[:0]) is None
    True
    """
    if not len(candidate) or not len(reference):
        return None
    alike = unit_rows(candidate) @ unit_rows(reference).T
    precision, recall = float(alike.max(axis=1).mean()), float(alike.max(axis=0).mean())
    return BertScore(precision, recall, harmonic_mean(precision, recall))


def unit_rows(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Each row at length 1, but for rows of zeros."""
    wide = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return wide / np.where(lengths == 0, 1.0, lengths)
