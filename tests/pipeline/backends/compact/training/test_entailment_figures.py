"""The figures of the entailment bench, as the model card takes them."""

from dataclasses import replace

import numpy as np
import pytest

from pipeline.backends.compact.training.entailment_fit import learnt
from pipeline.backends.compact.training.logistic import area
from pipeline.backends.compact.training.tables import DEV, Table
from pipeline.backends.model_cards import Ablations, Column, Figure, Interval, Variant
from tests.bench import entailment as bench
from tests.pipeline.backends.compact.training.test_entailment_fit import table


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch) -> list[Table]:
    monkeypatch.setattr(bench, "RESAMPLES", 20)
    found = [replace(table(file.name, rows=200), file=file) for file in DEV]
    found[0].sources[:100] = "one source"
    return found


def interval(ends: list[float]) -> Interval:
    value, low, high = ends
    return Interval(value=value, low=low, high=high)


def test_the_card_takes_the_figures_and_the_ablations(dev: list[Table]) -> None:
    parts = {name: learnt([table("a")], each) for name, each in bench.VARIANTS.items()}
    found = bench.by_source(dev, parts)
    for each in bench.card_figures(found)["figures"]:
        intervals = {name: interval(each.pop(name)) for name in ("auc", "accuracy")}
        assert Figure(**each, **intervals).auc.value > 0.5
    told = bench.card_ablations(found)
    made = Ablations(
        title=told["title"],
        what=told["what"],
        columns=tuple(Column(**each) for each in told["columns"]),
        rows=tuple(
            Variant(name=row["name"], cells=tuple(interval(cell) for cell in row["cells"]))
            for row in told["rows"]
        ),
    )
    assert len(made.columns) == len(DEV)
    assert f"{DEV[0].name}: one source" in found


def test_mixing_weights_come_from_files_without_the_same_claims(dev: list[Table]) -> None:
    names = [each.file.name for each in bench.others(dev, dev[1])]
    assert names == ["attributionbench_dev", "citint", "qags_cnndm"]
    assert len(bench.others(dev, dev[0])) == 4


def test_rows_that_share_a_claim_widen_the_interval() -> None:
    random = np.random.default_rng(5)
    labels = np.repeat(random.integers(0, 2, 40).astype(float), 10)
    scores = labels * 0.3 + np.repeat(random.random(40), 10)
    apart = bench.bootstrapped(area, labels, scores, [str(i) for i in range(400)])
    shared = bench.bootstrapped(area, labels, scores, [str(i // 10) for i in range(400)])
    assert apart.value == shared.value
    assert shared.high - shared.low > 2 * (apart.high - apart.low)
