"""Names beside points lie on nothing."""

from itertools import combinations

import numpy as np
import pytest

from pipeline.charts.labels import RADIUS, Box, place_names

BOUNDS = Box(0, 0, 600, 400)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("seed", range(5))
def test_no_name_covers_a_name_or_a_point_or_leaves_the_axes(n: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    points = [(float(x), float(y)) for x, y in chance.uniform((150, 100), (450, 300), (n, 2))]
    places = place_names(points, [(90.0, 14.0)] * n, bounds=BOUNDS)
    assert places is not None
    for one, other in combinations(places, 2):
        assert one.overlap(other) == 0
    for box in places:
        assert box.lies_in(BOUNDS)
        assert not any(
            box.overlap(Box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS)) for x, y in points
        )


def test_too_many_names_for_the_room_are_told() -> None:
    points = [(50.0, 50.0)] * 12
    assert place_names(points, [(60.0, 14.0)] * 12, bounds=Box(0, 0, 100, 100)) is None
