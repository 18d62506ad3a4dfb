"""When a campaign will be done: said with its basis, or not at all."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.campaigns.forecast import FEWEST, Forecast, forecast
from annotation.campaigns.lifecycle import close_campaign
from annotation.models import Assignment, Campaign
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import judge_next

pytestmark = pytest.mark.django_db


def submitted(hours: list[float], *, passages: int = 30) -> Campaign:
    """A campaign whose submissions came in so many hours ago."""
    rater = make_user()
    campaign = make_campaign(passages=passages, raters=(rater,))
    for ago in hours:
        judge_next(rater, campaign)
        latest = Assignment.objects.order_by("-pk")[:1]
        moved = Assignment.objects.filter(pk__in=list(latest.values_list("pk", flat=True)))
        moved.update(submitted_at=timezone.now() - timedelta(hours=ago))
    return campaign


def of(campaign: Campaign, left: int) -> Forecast | None:
    return forecast(campaign, left=left)


def test_the_end_lies_as_far_ahead_as_the_rate_of_the_last_days_takes() -> None:
    # Eleven in five days are two a day; what is older than a week is not of the rate.
    campaign = submitted([300.0, *(12.0 * number for number in range(11))])
    found = of(campaign, left=18)
    assert found is not None
    days = (found.end - timezone.now()) / timedelta(days=1)
    assert days == pytest.approx(9, abs=0.01)
    assert found.latest is not None
    assert found.earliest < found.end < found.latest
    assert (found.submitted, found.days) == (11, 5)


def test_too_few_too_short_a_time_and_the_end_say_nothing() -> None:
    campaign = submitted([12.0 * number for number in range(FEWEST)])
    assert of(campaign, left=1) is not None
    assert of(campaign, left=0) is None
    Assignment.objects.filter(pk=Assignment.objects.latest("pk").pk).update(is_late=True, slot=None)
    assert of(campaign, left=1) is None
    quick = submitted([0.1 * number for number in range(FEWEST)])
    assert of(quick, left=1) is None
    ended = submitted([12.0 * number for number in range(FEWEST)])
    close_campaign(ended)
    assert of(ended, left=1) is None


def test_the_overview_says_the_day_and_what_it_rests_on(client: Client, researcher: User) -> None:
    campaign = submitted([12.0 * number for number in range(11)], passages=29)
    client.force_login(researcher)
    page = client.get(campaign.get_absolute_url()).content.decode()
    day = timezone.now() + timedelta(days=9)
    assert "At the rate of the last 5 days (11 submitted), done about" in page
    assert f"{day.day} {day:%b %Y}</span> (95&nbsp;%:" in page
