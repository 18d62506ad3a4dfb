"""What is counted slowly is kept; what is counted quickly is always of now."""

from collections.abc import Iterator
from itertools import count

import pytest
from django.core.cache import cache

from annotation.models import Campaign
from annotation.results import cache as keeping
from annotation.results.cache import cached_figure

CAMPAIGN = Campaign(pk=1, slug="bridges")


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    cache.clear()


@pytest.fixture
def numbers() -> Iterator[int]:
    return count(1)


def test_the_same_state_is_not_counted_again(numbers: Iterator[int]) -> None:
    def figure(state: str) -> int:
        return cached_figure("n", CAMPAIGN, lambda: next(numbers), state_of=lambda: state).value

    assert [figure("a"), figure("a"), figure("b"), figure("a")] == [1, 1, 2, 3]


def test_what_is_quick_and_has_no_state_is_counted_each_time(numbers: Iterator[int]) -> None:
    found = [cached_figure("n", CAMPAIGN, lambda: next(numbers)) for _ in range(2)]
    assert [each.value for each in found] == [1, 2]
    assert not found[1].stands


def test_what_is_slow_stands_whatever_changes(
    numbers: Iterator[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "SLOW_SECONDS", 0)
    monkeypatch.setattr(keeping, "PATIENCE", float("inf"))
    first = cached_figure("n", CAMPAIGN, lambda: next(numbers), state_of=lambda: "a")
    again = cached_figure(
        "n", CAMPAIGN, lambda: next(numbers), state_of=lambda: pytest.fail("asked")
    )
    assert (first.value, again.value, again.stands) == (1, 1, True)


def test_it_stands_for_as_long_as_its_making_allows(
    numbers: Iterator[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "SLOW_SECONDS", 0)
    monkeypatch.setattr(keeping, "PATIENCE", 0)
    found = [cached_figure("n", CAMPAIGN, lambda: next(numbers)).value for _ in range(2)]
    assert found == [1, 2]


def test_campaigns_and_figures_are_kept_apart(numbers: Iterator[int]) -> None:
    def figure(what: str, campaign: Campaign) -> int:
        return cached_figure(what, campaign, lambda: next(numbers), state_of=lambda: "a").value

    other = Campaign(pk=2, slug="rivers")
    assert [figure("n", CAMPAIGN), figure("m", CAMPAIGN), figure("n", other)] == [1, 2, 3]
    assert figure("n", CAMPAIGN) == 1
