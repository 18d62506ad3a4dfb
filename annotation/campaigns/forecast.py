"""When a campaign will be done, at the rate of its last days."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min
from django.utils import timezone

from annotation.models import Assignment, Campaign
from pipeline.metrics.inference import rate_estimate

WINDOW = timedelta(days=7)
SHORTEST = timedelta(days=1)
"""A rate of less than a day knows no night, and would promise too much."""
FEWEST = 10
"""Submissions before there is a forecast."""
FURTHEST = timedelta(days=730)
"""Beyond this a date is no forecast."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The end of the work, between two days at 95 %, and what it rests on."""

    end: datetime
    earliest: datetime
    latest: datetime | None
    """None where it is too far away to be said."""
    submitted: int
    days: int
    """The time that they were submitted in, a week at most."""


def forecast(campaign: Campaign, *, left: int, phase: str = "") -> Forecast | None:
    """When `left` submissions more will have come in; None where nobody can tell. One query."""
    if left <= 0 or not campaign.is_open:
        return None
    now = timezone.now()
    recent = Assignment.objects.filter(
        campaign=campaign, purpose="", slot__isnull=False, submitted_at__gt=now - WINDOW
    )
    if phase:
        recent = recent.filter(item__phase=phase)
    found = recent.aggregate(count=Count("pk"), first=Min("submitted_at"))
    count, first = found["count"], found["first"]
    if count < FEWEST or now - first < SHORTEST:
        return None
    # The clock starts at the first of them, which is not counted itself.
    rate = rate_estimate(count - 1, (now - first) / timedelta(days=1))
    if rate is None or not rate.low or not rate.high or left / rate.value > FURTHEST.days:
        return None
    latest = left / rate.low
    return Forecast(
        end=now + timedelta(days=left / rate.value),
        earliest=now + timedelta(days=left / rate.high),
        latest=now + timedelta(days=latest) if latest <= FURTHEST.days else None,
        submitted=count,
        days=round((now - first) / timedelta(days=1)),
    )
