"""Expiry times of links."""

from datetime import timedelta

import pytest
from django.utils import timezone

from rarrweb.accounts.templatetags.expiry import in_days


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (timedelta(days=14), "in 14 days"),
        (timedelta(days=13, minutes=1), "in 14 days"),
        (timedelta(days=1, hours=1), "in 2 days"),
        (timedelta(hours=5, seconds=30), "5 hours from now"),
        (-timedelta(hours=2, seconds=1), "2 hours ago"),
    ],
)
def test_days_are_counted_up_and_the_last_one_in_hours(left: timedelta, words: str) -> None:
    assert in_days(timezone.now() + left).replace("\xa0", " ") == words
