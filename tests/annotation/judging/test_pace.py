"""The time that is left, as a rater reads it: by their own median alone."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.judging import pace
from annotation.models import Assignment, Campaign
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


def hand_in(rater: User, campaign: Campaign, *seconds: int, active_ms: int = 0) -> None:
    for each in seconds:
        assignment = claim(rater, campaign=campaign)
        judge_everything(assignment)
        now = timezone.now()
        Assignment.objects.filter(pk=assignment.pk).update(
            claimed_at=now - timedelta(seconds=each), submitted_at=now, active_ms=active_ms
        )


def test_from_three_items_it_is_the_median_so_a_night_between_does_not_count() -> None:
    rater, quick = make_user(), make_user()
    campaign = make_campaign(passages=4, raters=(rater, quick), raters_per_item=2)
    hand_in(quick, campaign, 1, 1, 1)
    hand_in(rater, campaign, 60, 80)
    assert pace.seconds_per_item(rater, campaign) is None
    hand_in(rater, campaign, 40_000)
    assert pace.seconds_per_item(rater, campaign) == pytest.approx(80, abs=0.1)


def test_time_at_work_goes_before_time_on_the_clock() -> None:
    rater = make_user()
    campaign = make_campaign(passages=4, raters=(rater,))
    hand_in(rater, campaign, 600, 600, 600, active_ms=30_000)
    assert pace.seconds_per_item(rater, campaign) == pytest.approx(30)


def test_the_page_shows_what_is_left_and_about_how_long(client: Client) -> None:
    rater = make_user()
    campaign = make_campaign(passages=8, raters=(rater,))
    hand_in(rater, campaign, 60, 60, 60)
    assignment = claim(rater, campaign=campaign)
    client.force_login(rater)
    page = client.get(f"/tasks/{assignment.pk}/").content.decode()
    assert "at most 5 left" in page
    assert "about 5 min" in page
