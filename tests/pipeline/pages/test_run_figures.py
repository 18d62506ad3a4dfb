"""How a run's page writes speeds, times left and differences."""

from datetime import timedelta

import pytest

from pipeline.templatetags.run_figures import duration, signed, speed


@pytest.mark.parametrize(
    ("per_second", "says"),
    [
        (2.5, "2.5 a second"),
        (1.0, "1.0 a second"),
        (0.05, "3.0 a minute"),
        (0.0005, "1.8 an hour"),
        (None, "–"),
    ],
)
def test_a_speed_is_in_the_unit_that_reads_best(per_second: float | None, says: str) -> None:
    assert speed(per_second) == says


@pytest.mark.parametrize(
    ("time", "says"),
    [
        (timedelta(0), "0 s"),
        (timedelta(seconds=5), "5 s"),
        (timedelta(minutes=2, seconds=5), "2 min 5 s"),
        (timedelta(hours=30, minutes=5), "1 d 6 h"),
        (timedelta(seconds=-3), "0 s"),
        (None, "–"),
    ],
)
def test_a_duration_is_in_its_two_greatest_units(time: timedelta | None, says: str) -> None:
    assert duration(time) == says


@pytest.mark.parametrize(
    ("value", "says"), [(0.324, "+0.32"), (-0.1, "−0.10"), (0.0, "0.00"), (-0.001, "0.00")]
)
def test_a_difference_has_its_sign(value: float, says: str) -> None:
    assert signed(value) == says
