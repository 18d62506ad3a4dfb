"""The commands that fit the combination and measure it, over a small data folder."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pipeline.backends.compact.training import contradictions, entailment_fit
from pipeline.backends.compact.training import tables as module
from pipeline.backends.compact.training.contradictions import FILE
from pipeline.backends.compact.training.tables import DEV, TRAIN
from tests.bench import entailment as bench
from tests.pipeline.backends.compact.entailment.test_scorer import Listening

ROWS = 12


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every file with a few rows: even ones are supported, odd ones say another year."""
    for file in (*DEV, *TRAIN):
        rows = []
        for number in range(ROWS):
            year = 1800 + number
            premise = f"Hart Mill number {number} was built in {year}. It had a wheel of oak."
            said = year if number % 2 == 0 else year + 50
            rows.append(
                {
                    "premise": premise, "hypothesis": f"The mill {number} was built in {said} [1].",
                    "label": int(number % 2 == 0), "group": str(number),
                    "src": f"source {number // 6}",
                }
            )  # fmt: skip
        path = tmp_path / file.folder / f"{file.name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    article = {"title": "Mills", "paragraphs": [{"context": row["premise"]} for row in rows]}
    (tmp_path / "train" / FILE).write_text(json.dumps({"data": [article]}), encoding="utf-8")
    monkeypatch.setattr(contradictions, "is_kept_back", lambda premise: "7" in premise)
    monkeypatch.setattr(module, "is_kept_back", lambda premise: "7" not in premise)
    monkeypatch.setattr(bench, "RESAMPLES", 5)
    (tmp_path / "weights").write_text("some")
    return tmp_path


def run(command: Any, data: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> None:
    class Files:
        @staticmethod
        def of_files(*_: Any, **__: Any) -> Listening:
            return Listening()

    monkeypatch.setattr(command, "Reader", Files)
    given = [str(data), "--weights", str(data / "weights"), "--cache", str(data / "cache")]
    monkeypatch.setattr(sys, "argv", ["command", *given, *options])
    command.main()


def test_the_combination_is_fitted_and_written(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(entailment_fit, data, monkeypatch, "--to", str(data / "found.py"))
    written: dict[str, Any] = {}
    exec((data / "found.py").read_text(encoding="utf-8"), written)  # noqa: S102
    assert written["ENTAILED"]["numbers"] > 0
    assert set(written["CONTRADICTED"]) == {"", "refuted", "doubt", "other_subject"}
    assert "numbers" in capsys.readouterr().out


def test_the_bench_writes_what_the_card_takes(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures, ablations = data / "figures.json", data / "ablations.json"
    run(bench, data, monkeypatch, "--json", str(figures), "--ablations", str(ablations))
    assert len(json.loads(figures.read_text())["figures"]) >= len(DEV)
    assert len(json.loads(ablations.read_text())["columns"]) == len(DEV)
    assert "attributionbench_dev: source 1" in capsys.readouterr().out
