"""Figures as a page writes them."""

import pytest

from pipeline.templatetags.revision_figures import seconds, share


@pytest.mark.parametrize(
    ("value", "written"),
    [(None, "–"), (0.0, "0.00"), (0.505, "0.51"), (0.994, "0.99"), (0.999, "0.99"), (1.0, "1.00")],
)
def test_a_share_has_two_digits_and_is_one_only_when_it_is(
    value: float | None, written: str
) -> None:
    assert share(value) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "–"),
        ("", "–"),
        (0.0421, "42 ms"),
        (0.42, "0.4 s"),
        (59.9, "59.9 s"),
        (90, "1.5 min"),
    ],
)
def test_a_duration_is_in_the_unit_that_reads_best(value: float | str | None, written: str) -> None:
    assert seconds(value) == written
