"""Automatic decisions compared with people's: ALCE's published figures."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics.decisions import Decision, decision_validity
from tests.support.estimates import ends, known

STUDIES = st.lists(
    st.builds(Decision, people=st.booleans(), automatic=st.booleans(), cluster=st.integers(0, 5)),
    max_size=40,
)


class Published(NamedTuple):
    """The paper's figures, in percent but for kappa (ALCE, section 6 and appendix G.5)."""

    accuracy: float
    kappa: float
    recall: float
    """Recall of insufficient, or of irrelevant, citations."""
    right: float
    """Precision of the same."""


RECALL = Published(accuracy=85.1, kappa=0.698, recall=82.3, right=84.2)
PRECISION = Published(accuracy=77.6, kappa=0.525, recall=75.6, right=66.1)


def decisions(published: Published, number: int = 10_000) -> list[Decision]:
    """Three shares give one table of four counts; kappa is not one of them."""
    wrong = 1 - published.accuracy / 100
    missed, false = 100 / published.recall - 1, 100 / published.right - 1
    both_no = wrong / (missed + false)
    shares = {
        (False, False): both_no,
        (False, True): both_no * missed,
        (True, False): both_no * false,
        (True, True): 1 - both_no - wrong,
    }
    decided: list[Decision] = []
    for (people, automatic), share in shares.items():
        for _ in range(round(share * number)):
            decided.append(Decision(people=people, automatic=automatic, cluster=len(decided) // 5))
    return decided


@pytest.mark.parametrize("published", [RECALL, PRECISION])
def test_the_figures_of_alces_human_study_come_out_as_published(published: Published) -> None:
    validity = decision_validity(decisions(published))
    assert known(validity.accuracy).value * 100 == pytest.approx(published.accuracy, abs=0.05)
    assert known(validity.negative_recall).value * 100 == pytest.approx(published.recall, abs=0.05)
    assert known(validity.negative_precision).value * 100 == pytest.approx(
        published.right, abs=0.05
    )
    # Of shares that are rounded to a tenth of a percent, kappa is known to a hundredth.
    assert known(validity.kappa).value == pytest.approx(published.kappa, abs=0.002)


def by_definition(decided: list[Decision]) -> dict[str, float | None]:
    """Cohen (1960) and ALCE's appendix, counted one by one."""
    table = Counter((each.people, each.automatic) for each in decided)
    n = sum(table.values())
    alike = table[True, True] + table[False, False]
    chance = sum(
        sum(count for (people, _), count in table.items() if people is label)
        * sum(count for (_, automatic), count in table.items() if automatic is label)
        for label in (True, False)
    )
    noes = sum(not each.people for each in decided)
    automatic_noes = sum(not each.automatic for each in decided)
    return {
        "accuracy": alike / n if n else None,
        "kappa": (n * alike - chance) / (n * n - chance) if n * n != chance else None,
        "negative_recall": table[False, False] / noes if noes else None,
        "negative_precision": table[False, False] / automatic_noes if automatic_noes else None,
    }


@given(STUDIES)
def test_every_figure_matches_its_definition(decided: list[Decision]) -> None:
    validity = decision_validity(decided)
    assert validity.n == len(decided)
    turned = decision_validity(
        [
            Decision(people=not each.people, automatic=not each.automatic, cluster=each.cluster)
            for each in decided
        ]
    )
    for name in ("accuracy", "kappa"):
        mine, theirs = getattr(validity, name), getattr(turned, name)
        assert (mine and mine.value) == (theirs and pytest.approx(theirs.value))
    for name, wanted in by_definition(decided).items():
        estimate = getattr(validity, name)
        if wanted is None:
            assert estimate is None
            continue
        assert estimate.value == pytest.approx(wanted)
        if estimate.low is not None:
            assert estimate.low - 1e-9 <= estimate.high
            assert estimate.low >= -1
            assert estimate.high <= 1


def test_intervals_are_over_answers() -> None:
    """The same statement five times in an answer tells no more than once."""
    empty = decision_validity([])
    assert (empty.n, empty.clusters, empty.accuracy, empty.kappa) == (0, 0, None, None)
    chance = np.random.default_rng(3)
    alone = [
        Decision(people=bool(people), automatic=bool(people) == (chance.random() < 0.8), cluster=i)
        for i, people in enumerate(chance.random(80) < 0.6)
    ]
    one, five = decision_validity(alone), decision_validity([d for d in alone for _ in range(5)])
    assert (five.n, one.n) == (400, 80)
    assert ends(one.kappa) == pytest.approx(ends(five.kappa))
