"""Reliability compared with worked examples and the krippendorff package."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import combinations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.metrics.reliability import (
    ALL_THE_SAME,
    NOTHING_SHARED,
    Reliability,
    ReliabilityReport,
    cohen_kappa_of_table,
    reliability_of_patterns,
)

Answers = Mapping[str, int]
"""Rater to answer, about one target."""
RATERS = "abcd"
TARGETS = st.lists(
    st.dictionaries(st.sampled_from(RATERS), st.integers(0, 3), max_size=4), min_size=1, max_size=12
)


def of_strings(*rows: str) -> list[Answers]:
    """One string a rater, one character a target; "." is no answer."""
    return [
        {
            rater: int(row[target])
            for rater, row in zip(RATERS, rows, strict=False)
            if row[target] != "."
        }
        for target in range(len(rows[0]))
    ]


def reliability(
    answers: Sequence[Answers], *, categories: int, passages: Sequence[int] | None = None
) -> ReliabilityReport:
    """The figures of one mapping a target, by default each of a passage of its own."""
    patterns = Counter(
        (passage, tuple(list(given.values()).count(category) for category in range(categories)))
        for passage, given in zip(passages or range(len(answers)), answers, strict=True)
    )
    return reliability_of_patterns(patterns, categories=categories)


def figures_of(report: ReliabilityReport) -> list[Reliability]:
    return [getattr(report, each.name) for each in fields(report)]


def cohen_kappa(answers: Sequence[Answers], one: str, other: str, categories: int) -> Reliability:
    table = Counter(
        (position, (given[one], given[other]))
        for position, given in enumerate(answers)
        if one in given and other in given
    )
    return cohen_kappa_of_table(table, categories=categories)


def theirs(answers: Sequence[Answers], level: str) -> float | None:
    """The package's figure; None where all that can be compared is the same."""
    pairable = {a for given in answers if len(given) > 1 for a in given.values()}
    if len(pairable) < 2:
        return None
    table = np.array([[given.get(rater, np.nan) for given in answers] for rater in RATERS])
    return float(
        krippendorff.alpha(
            reliability_data=table, level_of_measurement=level, value_domain=[0, 1, 2, 3]
        )
    )


def test_two_raters_by_hand() -> None:
    # Both yes 20, both no 15, yes/no 5, no/yes 10: agreement 0.7; Cohen's chance 0.5.
    answers = of_strings("1" * 20 + "0" * 15 + "1" * 5 + "0" * 10, "1" * 20 + "0" * 20 + "1" * 10)
    result = reliability(answers, categories=2)
    assert result.raw.value == pytest.approx(0.7)
    assert cohen_kappa(answers, "a", "b", 2).value == pytest.approx(0.4)
    # The shares over both raters are 0.55 and 0.45.
    chance = 0.55**2 + 0.45**2
    assert result.fleiss_kappa.value == pytest.approx((0.7 - chance) / (1 - chance))
    gwet = 2 * 0.55 * 0.45
    assert result.gwet_ac1.value == pytest.approx((0.7 - gwet) / (1 - gwet))
    # Nominal alpha of two full raters: 1 - (N - 1) * disagreeing values / products of totals.
    assert result.alpha_nominal.value == pytest.approx(1 - 99 * 30 / (2 * 55 * 45))


def test_fleiss_worked_example() -> None:
    # Six raters a target here, three categories, counted by hand.
    counts = [(6, 0, 0), (0, 6, 0), (3, 3, 0), (2, 2, 2)]
    answers = [
        {
            f"r{n}": category
            for n, category in enumerate(c for c, k in enumerate(row) for _ in range(k))
        }
        for row in counts
    ]
    observed = (1 + 1 + 12 / 30 + 6 / 30) / 4
    chance = (11 / 24) ** 2 + (11 / 24) ** 2 + (2 / 24) ** 2
    result = reliability(answers, categories=3).fleiss_kappa
    assert result.value == pytest.approx((observed - chance) / (1 - chance))


def test_ordinal_alpha_by_hand() -> None:
    # Categories 0, 1, 2 with one disagreement of one step: totals 3, 1, 2 of 6 values.
    result = reliability(of_strings("002", "012"), categories=3).alpha_ordinal
    # Distances: 0-1 (3/2 + 1/2)^2 = 4, 1-2 (1/2 + 2/2)^2 = 2.25, 0-2 (3/2 + 1 + 2/2)^2 = 12.25.
    assert result.value == pytest.approx(1 - 5 * (2 * 4) / (2 * (3 * 4 + 2 * 2.25 + 6 * 12.25)))


@settings(max_examples=80, deadline=None)
@given(TARGETS)
def test_alpha_is_the_packages_and_figures_are_in_range(answers: list[Answers]) -> None:
    result = reliability(answers, categories=4)
    for mine, level in ((result.alpha_nominal, "nominal"), (result.alpha_ordinal, "ordinal")):
        expected = theirs(answers, level)
        assert mine.value == (None if expected is None else pytest.approx(expected, abs=1e-9))
    kappas = [cohen_kappa(answers, *pair, 4) for pair in combinations(RATERS, 2)]
    for figure in (*figures_of(result), *kappas):
        assert (figure.value is None) == bool(figure.why)
        if figure.value is not None:
            assert figure.value <= 1 + 1e-12
        if figure.low is not None and figure.high is not None:
            assert figure.low <= figure.high <= 1 + 1e-12


@settings(max_examples=40, deadline=None)
@given(TARGETS, st.permutations(RATERS), st.permutations(range(4)))
def test_names_do_not_count(answers: list[Answers], raters: list[str], numbers: list[int]) -> None:
    renamed = [
        {raters[RATERS.index(rater)]: numbers[answer] for rater, answer in given.items()}
        for given in answers
    ]
    mine, other = (reliability(each, categories=4) for each in (answers, renamed))
    for name in ("raw", "alpha_nominal", "fleiss_kappa", "gwet_ac1"):
        before, after = getattr(mine, name).value, getattr(other, name).value
        assert before == (None if after is None else pytest.approx(after))


def test_what_is_undefined_has_a_reason() -> None:
    answers = of_strings("01.", "..1")
    alpha = reliability(answers, categories=2).alpha_nominal
    assert (alpha.value, alpha.why, alpha.dropped) == (None, NOTHING_SHARED, 3)
    assert cohen_kappa(answers, "a", "b", 2).why == "The two raters have no target in common."
    result = reliability(of_strings("111", "111"), categories=2)
    assert (result.raw.value, result.gwet_ac1.value) == (1.0, pytest.approx(1.0))
    assert (result.fleiss_kappa.value, result.fleiss_kappa.why) == (None, ALL_THE_SAME)
    result = reliability([{"a": 1, "b": 1}, {"a": 0}], categories=2)
    assert (result.alpha_nominal.value, result.alpha_nominal.why) == (None, ALL_THE_SAME)
    result = reliability_of_patterns({}, categories=2)
    assert (result.raw.value, result.raw.why, result.raw.targets) == (None, NOTHING_SHARED, 0)


def test_the_interval_holds_the_figure_and_depends_on_no_order() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 200)
    answers = [{rater: int(t if rng.random() < 0.85 else 1 - t) for rater in "abc"} for t in truth]
    result = reliability(answers, categories=2).alpha_nominal
    assert (result.low or 0) < (result.value or 0) < (result.high or 0) < (result.low or 0) + 0.3
    answers = [{rater: int(rng.integers(4)) for rater in "abc"} for _ in range(500)]
    order = rng.permutation(500)
    shuffled = reliability([answers[n] for n in order], categories=4, passages=order.tolist())
    assert shuffled == reliability(answers, categories=4)


def test_answers_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="no count of 3 categories"):
        reliability_of_patterns({(1, (1, 1)): 2}, categories=3)
    with pytest.raises(ValueError, match="not from 0 to 1"):
        cohen_kappa_of_table({(1, (0, 2)): 1}, categories=2)


def test_fleiss_kappa_has_no_lowest_value_where_most_targets_have_one_answer() -> None:
    # One target is split, nine have one answer, the same: shares 0.95 and 0.05, so chance is
    # 0.95² + 0.05² = 0.905, and (0 - 0.905) / 0.095.
    result = reliability_of_patterns({(1, (1, 1)): 1, (2, (1, 0)): 9}, categories=2)
    assert result.fleiss_kappa.value == pytest.approx(-0.905 / 0.095)
    assert result.fleiss_kappa.targets == 1


def test_many_targets_of_few_passages_have_no_interval() -> None:
    def alpha(passages: int) -> Reliability:
        places = [(0, 2), (2, 0), (1, 1), (0, 2), (2, 0)]
        patterns = {(key % passages, pattern): 10 for key, pattern in enumerate(places)}
        return reliability_of_patterns(patterns, categories=2).alpha_nominal

    def kappa(passages: int) -> Reliability:
        cells = [(1, 1), (0, 0), (0, 1), (1, 1), (0, 0)]
        table = {(key % passages, cell): 10 for key, cell in enumerate(cells)}
        return cohen_kappa_of_table(table, categories=2)

    for figure in (alpha, kappa):
        assert (figure(4).low, figure(4).note) == (None, "no interval: fewer than 5 passages")
        assert figure(5).low is not None


def test_thirty_targets_judged_alike_are_no_certainty() -> None:
    answers = of_strings("01" * 15, "01" * 15)
    result = reliability(answers, categories=2)
    for figure in (*figures_of(result), cohen_kappa(answers, "a", "b", 2)):
        assert (figure.value, figure.low) == (pytest.approx(1.0), None)
        assert figure.note == "no interval: all resamples are equal"


def test_resamples_without_a_value_are_counted() -> None:
    # One disagreement in 31: without its target all answers are the same.
    result = reliability(of_strings("1" * 31, "1" * 30 + "0"), categories=2)
    alpha = result.alpha_nominal
    assert (alpha.low, alpha.note) == (None, "no interval: no value in 1 of 31 resamples")
    assert result.raw.note == ""


def test_the_same_sentence_five_times_in_a_passage_tells_no_more_than_once() -> None:
    rng = np.random.default_rng(3)
    once = [{rater: int(rng.random() < share) for rater in "abc"} for share in rng.random(60)]
    passages = [position for position in range(60) for _ in range(5)]
    one = reliability(once, categories=2)
    five = reliability([once[position] for position in passages], categories=2, passages=passages)
    for name in ("raw", "fleiss_kappa", "gwet_ac1"):
        mine, other = getattr(one, name), getattr(five, name)
        assert (other.low, other.high) == pytest.approx((mine.low, mine.high))
