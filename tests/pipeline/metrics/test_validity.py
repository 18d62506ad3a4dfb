"""Scores against people's answers: the same figures by scipy, and intervals that hold."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, pearsonr, spearmanr

from pipeline.metrics.inference import Estimate
from pipeline.metrics.validity import Scored, balanced_accuracy, validity
from tests.support.charts import scored
from tests.support.estimates import ends, known


def test_figures_are_scipy_s() -> None:
    sample = scored(400)
    result = validity(sample)
    scores, shares = [each.score for each in sample], [each.human_share for each in sample]
    yes = [each.score for each in sample if each.label is True]
    no = [each.score for each in sample if each.label is False]
    assert known(result.pearson).value == pytest.approx(pearsonr(scores, shares).statistic)
    assert known(result.spearman).value == pytest.approx(spearmanr(scores, shares).statistic)
    assert known(result.auc).value == pytest.approx(
        mannwhitneyu(yes, no).statistic / len(yes) / len(no)
    )
    assert (result.n, result.clusters) == (400, 134)


@pytest.mark.parametrize("name", ["pearson", "spearman", "auc", "balanced accuracy"])
def test_intervals_know_that_sentences_of_a_passage_are_alike(name: str) -> None:
    """The same sentence five times in a passage tells no more than once."""

    def figure(sample: list[Scored]) -> Estimate:
        if name == "balanced accuracy":
            return known(balanced_accuracy(sample, threshold=0.5))
        result: Estimate = getattr(validity(sample), name)
        return result

    alone = [replace(each, cluster=i) for i, each in enumerate(scored(90))]
    one, other = figure(alone), figure([each for each in alone for _ in range(5)])
    assert other.value == pytest.approx(one.value, abs=1e-9)
    assert ends(other) == pytest.approx(ends(one), abs=0.01)
    assert ends(one)[0] < one.value < ends(one)[1]


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Of 200 studies whose true area and correlation are known."""
    chance = np.random.default_rng(1)

    def draw(n: int) -> list[Scored]:
        scores = chance.random(n)
        labels = chance.random(n) < scores
        rows = zip(scores, labels, strict=True)
        return [
            Scored(score=float(s), human_share=float(y), cluster=i) for i, (s, y) in enumerate(rows)
        ]

    truth = {"auc": 5 / 6, "pearson": 1 / np.sqrt(3)}  # by integration, of a uniform score
    held = dict.fromkeys(truth, 0)
    for _ in range(200):
        result = validity(draw(80))
        for name, true in truth.items():
            estimate = getattr(result, name)
            held[name] += estimate.low <= true <= estimate.high
    assert all(178 <= count <= 199 for count in held.values()), held


@pytest.mark.parametrize(
    ("shares", "missing"), [((), {"pearson", "spearman", "auc"}), ((1.0,) * 3, {"pearson", "auc"})]
)
def test_what_is_unknown_is_none(shares: tuple[float, ...], missing: set[str]) -> None:
    sample = [Scored(score=0.1 * i, human_share=each, cluster=i) for i, each in enumerate(shares)]
    result = validity(sample)
    assert {name for name in missing if getattr(result, name) is not None} == set()


def few(clusters: int) -> list[Scored]:
    return [
        Scored(score=0.1 * i, human_share=float(i % 3 == 0), cluster=i % clusters)
        for i in range(10)
    ]


def test_fewer_than_five_passages_or_undefined_resamples_give_no_interval() -> None:
    of_four, of_five = validity(few(4)), validity(few(5))
    for name in ("pearson", "spearman", "auc"):
        result = getattr(of_four, name)
        assert (result.n, result.low, result.high) == (10, None, None)
        assert result.note() == "no interval: fewer than 5 passages"
        assert getattr(of_five, name).low is not None
    assert known(balanced_accuracy(few(4), threshold=0.5)).low is None
    # Without the one yes there is no correlation.
    sample = [Scored(score=0.1 * i, human_share=float(i == 7), cluster=i) for i in range(10)]
    result = known(validity(sample).pearson)
    assert (result.resamples, result.undefined, result.low) == (10, 1, None)


def test_balanced_accuracy_by_hand() -> None:
    sample = [
        Scored(score=score, human_share=share, cluster=i)
        for i, (score, share) in enumerate(
            [(0.5, 1.0), (0.4, 1.0), (0.9, 1.0), (0.6, 0.0), (0.49, 0.0), (0.9, 0.5)]
        )
    ]
    result = known(balanced_accuracy(sample, threshold=0.5))
    assert result.value == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert result.n == 5  # a tie has no label
    assert balanced_accuracy([each for each in sample if each.label], threshold=0.5) is None
    assert balanced_accuracy([], threshold=0.5) is None
