"""The weights in the package, as they are."""

import pytest

from pipeline.backends.compact.reader import model, weights
from pipeline.backends.compact.reader.results import PointerQuery, Read

MILL = "Hart Mill stands in Denby. It was built by Otto Hart in 1852 and has 12 windows."


def figures(read: Read) -> list[float]:
    return [read.verdict.entailment, read.verdict.neutral, read.verdict.contradiction]


def test_the_shipped_reader_tells_right_from_wrong_and_finds_the_answer() -> None:
    assert weights.WEIGHTS.stat().st_size < 30_000_000
    reader = model.shipped()
    right, wrong = reader.read(
        [(MILL, "Hart Mill was built in 1852."), (MILL, "Hart Mill was built in 1921.")]
    )
    # By `research/readers.py` these are also what the library's own BERT makes of the weights.
    assert figures(right) == pytest.approx([0.96954, 0.00285, 0.02761], abs=1e-4)
    assert figures(wrong) == pytest.approx([0.01711, 0.02134, 0.96155], abs=1e-4)
    assert right.doubts[-1][2] == pytest.approx(0.08277, abs=1e-4)
    assert wrong.doubts[-1][2] == pytest.approx(0.99638, abs=1e-4)
    text = "Hart Mill was built in 1921."
    best = reader.point([PointerQuery(premise=MILL, text=text, start=23, end=27)])[0].best()
    assert best is not None
    assert MILL[best[0] : best[1]] == "1852"
