"""Fitting the combination of words and reader."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.backends.compact.entailment.scorer import FEATURES
from pipeline.backends.compact.reader.model import Read
from pipeline.backends.compact.training import tables as module
from pipeline.backends.compact.training.calibration_split import is_kept_back
from pipeline.backends.compact.training.contradictions import FILE, Pair, pairs_of
from pipeline.backends.compact.training.entailment_fit import (
    AGAINST,
    contradicted,
    learnt,
    mixed,
    python_of,
)
from pipeline.backends.compact.training.logistic import area, logits_of
from pipeline.backends.compact.training.tables import BASELINES, File, Table, rows_of, tables
from tests.pipeline.backends.compact.entailment.test_scorer import MILL, Listening


def table(name: str, *, helps: str = "", rows: int = 800, best: bool = False) -> Table:
    """Labels follow `whole` and `entailed`; with `helps`, that feature alone."""
    random = np.random.default_rng(len(name))
    features = random.normal(size=(rows, len(FEATURES)))
    told = (helps,) if helps else ("whole", "entailed")
    logits = 2 * sum(features[:, FEATURES.index(each)] for each in told)
    labels = (random.random(rows) < 1 / (1 + np.exp(-logits))).astype(float)
    return Table(
        file=File(name=name, folder="dev", best=best),
        features=features,
        baselines=np.zeros((rows, len(BASELINES))),
        labels=labels,
        is_word_for_word=np.zeros(rows),
        groups=np.array([str(row // 2) for row in range(rows)]),
        sources=np.array([name] * rows),
    )


def test_the_families_are_mixed_as_the_dev_files_ask() -> None:
    parts = learnt([table("a"), table("bb")])
    by_words = mixed(parts, [table("dev", helps="whole")])
    by_reader = mixed(parts, [table("dev", helps="entailed")])
    assert by_words["whole"] > by_reader["whole"]
    assert by_words["entailed"] < by_reader["entailed"]


def test_the_combination_tells_more_than_either_family() -> None:
    train, dev, fresh = [table("a"), table("bb")], [table("dev")], table("unseen")
    areas = {}
    for name, families in {
        "words": {"words": FEATURES[:13]},
        "reader": {"reader": FEATURES[13:]},
        "all": {"words": FEATURES[:13], "reader": FEATURES[13:]},
    }.items():
        weights = mixed(learnt(train, families), dev)
        areas[name] = area(fresh.labels, logits_of(weights, fresh.features, FEATURES))
    assert areas["all"] > max(areas["words"], areas["reader"]) + 0.03


def test_each_family_is_learnt_from_the_rows_that_have_it() -> None:
    whole, unread = table("a"), table("bb")
    unread.features[:, FEATURES.index("entailed")] = np.nan
    families = {"words": FEATURES[:13], "reader": FEATURES[13:]}
    both, alone = learnt([whole, unread], families), learnt([whole], families)
    assert both.by_family["reader"] == alone.by_family["reader"]
    assert both.by_family["words"] != alone.by_family["words"]


def test_no_weight_goes_against_its_meaning() -> None:
    weights = mixed(learnt([table("a")]), [table("dev")])
    for name in FEATURES:
        weight = weights.get(name, 0.0)
        assert weight <= 0 if name in AGAINST else weight >= 0


def test_of_a_group_only_the_best_row_counts() -> None:
    chunks = table("chunks", rows=10, best=True)
    scores = np.array([0.1, 0.2, 0.9, 0.3, 0.5, 0.5, 0.0, 0.1, 0.7, 0.6])
    assert chunks.counted(scores).tolist() == [1, 2, 4, 7, 8]
    assert table("rows", rows=10).counted(scores).tolist() == list(range(10))


class Refuting(Listening):
    """A reader to whom 1947 is a contradiction."""

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Read]:
        # What is about something else leaves more of the words in doubt.
        wrong, other = Listening(contradiction=0.5), Listening(entailment=0.1)
        return [(wrong if "1947" in pair[1] else other).read([pair])[0] for pair in pairs]


def test_contradiction_is_learnt_from_the_readers_odds() -> None:
    said = [("Hart Mill was built in 1947.", True), ("Otto Hart was born in Dalum.", False)]
    pairs = [Pair(MILL, sentence, is_wrong) for sentence, is_wrong in said]
    found = contradicted(pairs, Refuting())
    assert found["refuted"] > 1
    assert found["doubt"] < 0


def test_a_swapped_value_contradicts_and_another_paragraph_does_not(tmp_path: Path) -> None:
    paragraphs = [
        f"Hart Mill {number} was built in {1801 + number} by Anna Berg. It burnt in {1871 + number}"
        for number in range(40)
    ]
    kept = set(filter(is_kept_back, paragraphs))
    article = {"title": "Hart_Mill", "paragraphs": [{"context": each} for each in paragraphs]}
    (tmp_path / FILE).write_text(json.dumps({"data": [article]}), encoding="utf-8")
    found = [*pairs_of(tmp_path)]
    assert {
        pair.premise.removeprefix("Hart Mill\n") for pair in found if pair.is_contradicted
    } <= kept
    assert all(pair.premise.startswith("Hart Mill\n") for pair in found)
    for premise, sentence, is_contradicted in found:
        assert (sentence in premise) is False
        assert is_contradicted or any(sentence in each for each in kept)
    assert 0.2 < sum(pair.is_contradicted for pair in found) / len(found) < 0.8


def test_the_written_module_holds_the_weights() -> None:
    written: dict[str, Any] = {}
    exec(python_of({"": -1.25, "whole": 0.5}, {"": 0.0, "refuted": 2.0}), written)  # noqa: S102
    assert written["ENTAILED"] == {"": -1.25, "whole": 0.5}
    assert written["CONTRADICTED"] == {"": 0.0, "refuted": 2.0}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [
        {"premise": MILL, "hypothesis": "Otto Hart built a mill [1].", "label": 1, "src": "one"},
        {"premise": MILL, "hypothesis": "Jane Coe built it.", "label": 0, "src": "two"},
        {"premise": "", "hypothesis": "Of nothing.", "label": 0, "src": "two"},
    ]
    folder = tmp_path / "data/dev"
    folder.mkdir(parents=True)
    text = "\n".join(json.dumps(row) for row in rows)
    (folder / "mills.jsonl").write_text(text, encoding="utf-8")
    return tmp_path / "data"


def test_a_table_is_read_once_for_the_same_weights(data: Path, tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    weights.write_text("first")
    reader = Listening()
    file = File(name="mills", folder="dev")

    def made() -> Table:
        return tables(data, [file], weights=weights, reader=reader, cache=tmp_path / "cache")[0]

    first, again = made(), made()
    assert len(reader.calls) == 1
    assert np.array_equal(first.features, again.features)
    assert first.labels.tolist() == again.labels.tolist() == [1.0, 0.0]
    assert again.sources.tolist() == ["one", "two"]
    weights.write_text("second")
    made()
    assert len(reader.calls) == 2


def test_training_rows_that_were_not_kept_back_are_not_read(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (data / "dev").rename(data / "train")
    monkeypatch.setattr(module, "is_kept_back", lambda premise: False)
    reader = Listening()
    file = File(name="mills", folder="train")
    (made,) = tables(data, [file], weights=data / "train/mills.jsonl", reader=reader,
                     cache=tmp_path / "cache")  # fmt: skip
    assert np.isnan(made.column("entailed")).all()
    assert not np.isnan(made.column("whole")).any()
    assert not any(reader.calls)


def test_a_file_is_cut_to_the_same_rows_each_time(data: Path) -> None:
    file = File(name="mills", folder="dev", most=1)
    assert len(rows_of(data, file)) == 1
    assert rows_of(data, file) == rows_of(data, file)
