"""Expiry times of links."""

import math
from datetime import datetime, timedelta

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.utils import timezone

register = template.Library()

DAY = timedelta(days=1)


@register.filter
def in_days(when: datetime) -> str:
    """Format the time until `when` in days, rounded up; on the last day in hours or minutes."""
    left = when - timezone.now()
    if left <= DAY:
        return str(naturaltime(when))
    days = math.ceil(left / DAY)
    return f"in {days} day" if days == 1 else f"in {days} days"
