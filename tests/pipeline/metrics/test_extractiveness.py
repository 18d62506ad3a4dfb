"""Coverage and density, by hand and by the definition's slow form."""

import numpy as np
import pytest

from pipeline.metrics.extractiveness import extractiveness
from tests.support.estimates import known


def test_by_hand() -> None:
    # Fragments: "the bridge opened in" (4), "two lines" (2); "1999 and has" is in no source.
    result = known(
        extractiveness(
            "The bridge opened in 1999 and has two lines.",
            ["It said: the bridge opened in 1932.", "There are two lines, two."],
        )
    )
    assert result.coverage == pytest.approx(6 / 9)
    assert result.density == pytest.approx((4**2 + 2**2) / 9)


def test_a_copy_is_one_fragment_and_a_stranger_none() -> None:
    assert extractiveness("One two three", ["zero one two three four"]) == (1.0, 3.0)
    assert extractiveness("One two three", ["alpha beta"]) == (0.0, 0.0)
    assert extractiveness("One", []) == (0.0, 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_fragments_are_those_of_the_definition(seed: int) -> None:
    chance = np.random.default_rng(seed)
    answer, *sources = (
        [str(word) for word in chance.integers(0, 5, size=size)] for size in (30, 40, 25)
    )
    lengths, at = [], 0
    while at < len(answer):
        longest = next(
            (
                length
                for length in range(len(answer) - at, 0, -1)
                for source in sources
                if any(
                    source[i : i + length] == answer[at : at + length] for i in range(len(source))
                )
            ),
            0,
        )
        lengths.append(longest)
        at += longest or 1
    result = known(extractiveness(" ".join(answer), [" ".join(source) for source in sources]))
    assert result.coverage == pytest.approx(sum(lengths) / len(answer))
    assert result.density == pytest.approx(sum(each**2 for each in lengths) / len(answer))
