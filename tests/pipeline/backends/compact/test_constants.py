"""The checksum of the fitted constants: another for any other value, the same for the same."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pipeline.backends.compact import constants
from pipeline.backends.compact.entailment import coefficients
from pipeline.backends.compact.revision.ranking_coefficients import SECOND_LOOK
from pipeline.backends.compact.revision.thresholds import THRESHOLD_NEAR


def module(source: str) -> ModuleType:
    made = ModuleType("made")
    exec(source, vars(made))  # noqa: S102
    return made


def test_it_is_over_values_and_not_over_the_layout() -> None:
    short = constants.digest_of([module("A = {'x': 1.50}\nB = (2, 3)")])
    assert len(short) == constants.DIGITS
    assert short == constants.digest_of([module("B = (2,\n  3)\n# said\nA = {'x': 1.5}\n_c = 4")])
    for other in ("A = {'x': 1.51}\nB = (2, 3)", "A = {'x': 1.5}", "A = {'y': 1.5}\nB = (2, 3)"):
        assert constants.digest_of([module(other)]) != short


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        (coefficients.ENTAILED, "whole", 0.28231),
        (coefficients.CONTRADICTED, "", 0.1),
        (SECOND_LOOK, "date", (0.0,)),
        (THRESHOLD_NEAR, "name", 0.51),
    ],
)
def test_every_fitted_table_counts(
    monkeypatch: pytest.MonkeyPatch, table: dict[str, object], key: str, value: object
) -> None:
    before = constants.digest()
    monkeypatch.setitem(table, key, value)
    assert constants.digest() != before
    monkeypatch.undo()
    assert constants.digest() == before


def test_a_lone_threshold_and_a_table_in_a_file_count_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = constants.digest()
    monkeypatch.setattr("pipeline.backends.compact.revision.thresholds.LIKELY_FROM", 0.11)
    assert constants.digest() != before
    monkeypatch.undo()
    table = tmp_path / constants.TABLES[0].name
    table.write_bytes(constants.TABLES[0].read_bytes())
    monkeypatch.setattr(constants, "TABLES", (table,))
    assert constants.digest() == before
    table.write_text("7 mill\n")
    assert constants.digest() != before


def test_importing_it_loads_none_of_them_and_asking_loads_no_model() -> None:
    code = (
        "import sys; from pipeline.backends.compact import constants as c;"
        "early = [m for m in c.MODULES if m in sys.modules]; c.digest();"
        "sys.exit(bool(early) or 'torch' in sys.modules or 'spacy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
