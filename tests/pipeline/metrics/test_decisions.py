"""Automatic decisions against people's: ALCE's published figures, and the definitions again."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics.decisions import Decided, decision_validity
from pipeline.metrics.inference import Estimate
from tests.support.alce_human_study import FILE, PRECISION, RECALL, Published, decisions

STUDIES = st.lists(
    st.builds(Decided, people=st.booleans(), automatic=st.booleans(), cluster=st.integers(0, 5)),
    max_size=40,
)


def value(estimate: Estimate | None) -> float:
    assert estimate is not None
    return estimate.value


@pytest.mark.parametrize("published", [RECALL, PRECISION])
def test_the_figures_of_alces_human_study_come_out_as_published(published: Published) -> None:
    found = decision_validity(decisions(published))
    assert value(found.accuracy) * 100 == pytest.approx(published.accuracy, abs=0.05)
    assert value(found.noes_found) * 100 == pytest.approx(published.found, abs=0.05)
    assert value(found.noes_right) * 100 == pytest.approx(published.right, abs=0.05)
    # Of shares that are rounded to a tenth of a percent, kappa is known to a hundredth.
    assert value(found.kappa) == pytest.approx(published.kappa, abs=0.002)


def test_the_studys_own_file_is_read_where_it_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its shape, with decisions of ours: 2 is full support, 1 a part of it."""
    sentences = [
        {"citations": [{"citation_precision_score": 2}, {"citation_precision_score": 1.0}],
         "sentence_recall_score": 1, "sentence_precision_score": 1},
        {"citations": [{"citation_precision_score": 1}],
         "sentence_recall_score": 0, "sentence_precision_score": 0},
        {"citations": [], "sentence_recall_score": 0, "sentence_precision_score": 0},
    ]  # fmt: skip
    item = {
        "sentences": sentences,
        "automatic_recall_scores": [1, 1, 0],
        "automatic_citation_precision_scores": [[2, 0], [2], []],
    }
    study = {"asqa": {"run.json": {"7": item, "overall_results": {"n": 1}}}, "eli5": {}}
    (tmp_path / FILE).write_text(json.dumps(study), encoding="utf-8")
    monkeypatch.setenv("RARR_DEV_DATA", str(tmp_path))
    statements, citations = (
        [(each.people, each.automatic) for each in decisions(published)]
        for published in (RECALL, PRECISION)
    )
    assert statements == [(True, True), (False, True), (False, False)]
    assert citations == [(True, True), (True, False), (False, True)]


def by_definition(decided: list[Decided]) -> dict[str, float | None]:
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
    said = sum(not each.automatic for each in decided)
    return {
        "accuracy": alike / n if n else None,
        "kappa": (n * alike - chance) / (n * n - chance) if n * n != chance else None,
        "noes_found": table[False, False] / noes if noes else None,
        "noes_right": table[False, False] / said if said else None,
    }


@given(STUDIES)
def test_every_figure_is_as_its_definition_says(decided: list[Decided]) -> None:
    found = decision_validity(decided)
    assert found.n == len(decided)
    for name, wanted in by_definition(decided).items():
        estimate = getattr(found, name)
        if wanted is None:
            assert estimate is None
            continue
        assert estimate.value == pytest.approx(wanted)
        if estimate.low is not None:
            assert estimate.low - 1e-9 <= estimate.high
            assert estimate.low >= -1
            assert estimate.high <= 1


@given(STUDIES)
def test_turning_every_answer_round_changes_neither_accuracy_nor_kappa(
    decided: list[Decided],
) -> None:
    turned = [
        Decided(people=not each.people, automatic=not each.automatic, cluster=each.cluster)
        for each in decided
    ]
    one, other = decision_validity(decided), decision_validity(turned)
    for name in ("accuracy", "kappa"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert mine.value == pytest.approx(theirs.value)


def test_nothing_decided_has_no_figure() -> None:
    found = decision_validity([])
    assert (found.n, found.clusters, found.accuracy, found.kappa) == (0, 0, None, None)


def test_intervals_are_over_answers() -> None:
    """The same statement five times in an answer tells no more than once."""
    chance = np.random.default_rng(3)
    alone = [
        Decided(people=bool(people), automatic=bool(people) == (chance.random() < 0.8), cluster=i)
        for i, people in enumerate(chance.random(80) < 0.6)
    ]
    one, five = decision_validity(alone), decision_validity([d for d in alone for _ in range(5)])
    assert (five.n, one.n) == (400, 80)
    assert five.kappa is not None
    assert one.kappa is not None
    assert (one.kappa.low, one.kappa.high) == pytest.approx((five.kappa.low, five.kappa.high))
