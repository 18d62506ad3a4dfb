"""The weights in the package, as they are."""

import pytest

from pipeline.backends.compact.reader import model, weights
from pipeline.backends.compact.reader.model import Ask

MILL = "Hart Mill stands in Denby. It was built by Otto Hart in 1852 and has 12 windows."


def test_the_shipped_reader_tells_right_from_wrong_and_finds_the_answer() -> None:
    assert weights.WEIGHTS.stat().st_size < 30_000_000
    reader = model.shipped()
    right, wrong = reader.read(
        [(MILL, "Hart Mill was built in 1852."), (MILL, "Hart Mill was built in 1921.")]
    )
    assert right.verdict.entailment > wrong.verdict.entailment
    for verdict in (right.verdict, wrong.verdict):
        assert verdict.entailment + verdict.neutral + verdict.contradiction == pytest.approx(1)
    text = "Hart Mill was built in 1921."
    best = reader.point([Ask(premise=MILL, text=text, start=23, end=27)])[0].best()
    assert best is not None
    assert MILL[best[0] : best[1]] == "1852"
