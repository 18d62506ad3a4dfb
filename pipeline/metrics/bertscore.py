"""BERTScore (Zhang et al. 2020), comparable only by one encoder's token vectors.

They come from `pipeline.backends.token_vectors`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.metrics.f1 import harmonic_mean

Vectors = NDArray[np.float32]
"""(tokens, width) of a text."""


class BertScore(NamedTuple):
    """From -1.0 to 1.0, in practice above 0."""

    precision: float
    """Of the candidate's tokens."""
    recall: float
    """Of the reference's tokens."""
    f1: float


def bertscore(candidate: Vectors, reference: Vectors) -> BertScore | None:
    """Match each token with the most similar one of the other text, by cosine (section 3).

    Without idf and baseline rescaling. None for a text without tokens.
    """
    if not len(candidate) or not len(reference):
        return None
    alike = unit_rows(candidate) @ unit_rows(reference).T
    precision, recall = float(alike.max(axis=1).mean()), float(alike.max(axis=0).mean())
    return BertScore(precision, recall, harmonic_mean(precision, recall))


def unit_rows(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Normalise rows to length 1, but for rows of zeros."""
    wide = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return wide / np.where(lengths == 0, 1.0, lengths)
