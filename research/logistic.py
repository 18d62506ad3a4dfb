"""Logistic rules fitted to tables of labelled pairs, and how well they do."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import rankdata

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Rows of one source: features (n, k) and labels (n,), 1.0 or 0.0."""

    features: Values
    labels: Values
    weight: float = 1.0
    """What the source counts as a whole."""


def fitted(
    samples: Sequence[Sample],
    names: Sequence[str],
    *,
    against: Collection[str] = (),
    ridge: float,
    balanced: bool,
    shared_bias: bool,
) -> dict[str, float]:
    """Weights of the features, by maximum likelihood with a ridge on standardised features.

    A feature can only speak for the label 1, one of `against` only against it. `balanced` gives
    both labels of a source the same weight. Without `shared_bias` each source has a bias of its
    own, so that only the order within sources is learnt; "" is then 0.0.
    """
    matrix = np.vstack([sample.features for sample in samples])
    labels = np.concatenate([sample.labels for sample in samples])
    owner = np.repeat(np.arange(len(samples)), [len(sample.labels) for sample in samples])
    weights = np.concatenate([_weights(sample, balanced=balanced) for sample in samples])
    weights /= weights.sum()
    centre = weights @ matrix
    spread = np.sqrt(weights @ (matrix - centre) ** 2) + 1e-6
    scaled = (matrix - centre) / spread
    if shared_bias:
        owner = np.zeros_like(owner)
    biases = int(owner.max()) + 1

    def loss(beta: Values) -> tuple[float, Values]:
        logits = scaled @ beta[biases:] + beta[owner]
        value = weights @ (np.logaddexp(0.0, logits) - labels * logits)
        pull = weights * (1 / (1 + np.exp(-logits)) - labels)
        slopes = scaled.T @ pull + ridge * beta[biases:]
        gradient = np.concatenate([np.bincount(owner, pull, biases), slopes])
        return float(value + ridge / 2 * (beta[biases:] ** 2).sum()), gradient

    bounds: list[tuple[float | None, float | None]] = [(None, None)] * biases
    bounds += [(None, 0.0) if name in against else (0.0, None) for name in names]
    best = minimize(
        loss, np.zeros(biases + len(names)), jac=True, method="L-BFGS-B", bounds=bounds
    ).x
    slopes = best[biases:] / spread
    bias = float(best[0] - slopes @ centre) if shared_bias else 0.0
    return {"": bias, **{name: float(s) for name, s in zip(names, slopes, strict=True)}}


def _weights(sample: Sample, *, balanced: bool) -> Values:
    share = sample.labels.mean()
    if not balanced or share in (0.0, 1.0):
        return np.full(len(sample.labels), sample.weight / len(sample.labels))
    each = np.where(sample.labels == 1, 0.5 / share, 0.5 / (1 - share))
    weights: Values = each * (sample.weight / len(sample.labels))
    return weights


def logits_of(weights: Mapping[str, float], features: Values, names: Sequence[str]) -> Values:
    """The rule's log odds of each row of `features`, whose columns are `names`."""
    slopes = np.array([weights.get(name, 0.0) for name in names])
    found: Values = features @ slopes + weights.get("", 0.0)
    return found


def area(labels: Values, scores: Values) -> float:
    """Area under the ROC curve; ties count half. nan where one label is missing."""
    truth = labels == 1
    positive, negative = int(truth.sum()), int((~truth).sum())
    if not positive or not negative:
        return float("nan")
    ranks = rankdata(scores)
    return float((ranks[truth].sum() - positive * (positive + 1) / 2) / (positive * negative))


def calibration_error(labels: Values, probabilities: Values, *, bins: int = 10) -> float:
    """Expected calibration error: how far the mean probability of a bin is from the share that
    is true in it, over bins of equal width, each counted by its rows; 0.0 to 1.0."""
    which = np.minimum((probabilities * bins).astype(int), bins - 1)
    error = 0.0
    for number in range(bins):
        inside = which == number
        if inside.any():
            error += inside.mean() * abs(probabilities[inside].mean() - labels[inside].mean())
    return float(error)


def macro_f1(labels: Values, predicted: NDArray[np.bool_]) -> float:
    """Mean of the F1 of supported and of unsupported, 0.0 to 1.0."""
    scores = []
    for truth, said in ((labels == 1, predicted), (labels != 1, ~predicted)):
        total = int(truth.sum() + said.sum())
        scores.append(2 * int((truth & said).sum()) / total if total else 0.0)
    return float(np.mean(scores))
