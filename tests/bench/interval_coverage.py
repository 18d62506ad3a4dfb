"""Simulate how often 95 % intervals contain the truth.

    python -m tests.bench.interval_coverage

A study is 40 passages of 6 sentences that 3 raters judge. Passages differ in how many of their
sentences are attributable and in how often raters are right about them. The truth is that of
400,000 such passages. Beside the product's intervals stand those that take no notice of passages:
percentiles of a bootstrap over sentences, Wilson's and Student's t over sentences.
"""

import argparse
from collections import Counter
from collections.abc import Callable

import numpy as np
from scipy.special import expit, stdtrit

from pipeline.metrics.inference import LEVEL, Z, ratio_estimate
from pipeline.metrics.reliability import alpha_nominal, raw_agreement
from pipeline.metrics.resampling import Figure, Values, resampled_estimate

PASSAGES, SENTENCES, RATERS = 40, 6, 3
RESAMPLES = 1000
SETTINGS = {"hard": (0.78, 0.12), "middling": (0.88, 0.10), "easy": (0.95, 0.06)}
"""How often a rater is right: the mean over passages and the standard deviation."""
Ends = tuple[float, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=2000)
    repetitions = parser.parse_args().repetitions
    print("setting    figure             truth  over passages  over sentences")
    for setting in SETTINGS:
        rng = np.random.default_rng(20230)
        large = [study(rng, 40_000, setting) for _ in range(10)]
        truths = true_figures(large)
        held: Counter[tuple[str, int]] = Counter()
        for _ in range(repetitions):
            for name, pair in intervals(rng, *study(rng, PASSAGES, setting)).items():
                for position, (low, high) in enumerate(pair):
                    held[name, position] += low <= truths[name] <= high
        for name, truth in truths.items():
            new, old = (100 * held[name, position] / repetitions for position in (0, 1))
            print(f"{setting:10} {name:18} {truth:5.3f} {new:12.1f} % {old:13.1f} %")


def study(rng: np.random.Generator, passages: int, setting: str) -> tuple[Values, Values]:
    """(passages, sentences, raters): the answers, 0 or 1, and whether each is right."""
    mean, deviation = SETTINGS[setting]
    shape = (passages, SENTENCES, 1)
    attributable = rng.normal(1.0, 1.2, (passages, 1, 1)) + rng.normal(0, 0.5, shape)
    truth = rng.random(shape) < expit(attributable)
    skill = np.clip(rng.normal(mean, deviation, (passages, 1, 1)), 0.5, 0.99)
    right = rng.random((passages, SENTENCES, RATERS)) < skill
    return np.where(right, truth, ~truth).astype(float), right.astype(float)


def terms(answers: Values) -> Values:
    """What each sentence adds to the sums of agreement and of alpha, as the product has them."""
    yes = answers.sum(axis=2)
    counts = np.stack([RATERS - yes, yes], axis=2)
    pairs = counts[..., :, None] * counts[..., None, :] - counts[..., :, None] * np.eye(2)
    agreed = (counts * (counts - 1)).sum(axis=2) / (RATERS * (RATERS - 1))
    ones = np.ones((*agreed.shape, 1))
    coincidences = pairs.reshape(*agreed.shape, 4) / (RATERS - 1)
    return np.concatenate([agreed[..., None], ones, ones, counts / RATERS, coincidences], axis=2)


def true_figures(large: list[tuple[Values, Values]]) -> dict[str, float]:
    sums = sum(terms(answers).sum(axis=(0, 1)) for answers, _ in large)
    shares = np.array([answers.mean(axis=2).ravel() for answers, _ in large])
    return {
        "percent agreement": float(raw_agreement(sums[None])[0]),
        "alpha": float(alpha_nominal(sums[None])[0]),
        "rater accuracy": float(np.mean([right[..., 0].mean() for _, right in large])),
        "share": float((shares > 0.5).mean()),
        "mean": float(shares.mean()),
    }


def intervals(
    rng: np.random.Generator, answers: Values, right: Values
) -> dict[str, tuple[Ends, Ends]]:
    """By figure the product's interval, and the one over sentences."""
    rows = terms(answers)
    sums, sentences = rows.sum(axis=1), rows.reshape(-1, rows.shape[2])
    drawn = rng.multinomial(
        len(sentences), np.full(len(sentences), 1 / len(sentences)), size=RESAMPLES
    )
    again = drawn @ sentences

    def resampled(figure: Figure) -> tuple[Ends, Ends]:
        result = resampled_estimate(figure, sums, n=len(sentences), lowest=-np.inf)
        low, high = np.nanquantile(figure(again), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return ends(result), (low, high)

    def ratio(values: Values, over_sentences: Callable[[Values], Ends]) -> tuple[Ends, Ends]:
        keys = np.repeat(np.arange(len(values)), SENTENCES).tolist()
        result = ratio_estimate(values.ravel().tolist(), clusters=keys, lowest=0, highest=1)
        return ends(result), over_sentences(values.ravel())

    shares = answers.mean(axis=2)
    return {
        "percent agreement": resampled(raw_agreement),
        "alpha": resampled(alpha_nominal),
        "rater accuracy": ratio(right[..., 0], wilson),
        "share": ratio((shares > 0.5).astype(float), wilson),
        "mean": ratio(shares, student),
    }


def ends(result: object) -> Ends:
    """Its interval; one that holds nothing where there is none."""
    low, high = getattr(result, "low", None), getattr(result, "high", None)
    return (np.inf, -np.inf) if low is None or high is None else (low, high)


def wilson(values: Values) -> Ends:
    n, share = len(values), float(values.mean())
    spread = Z * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n * n))
    centre, scale = share + Z**2 / (2 * n), 1 + Z**2 / n
    return (centre - spread) / scale, (centre + spread) / scale


def student(values: Values) -> Ends:
    half = stdtrit(len(values) - 1, (1 + LEVEL) / 2) * values.std(ddof=1) / np.sqrt(len(values))
    return values.mean() - half, values.mean() + half


if __name__ == "__main__":
    main()
