"""How pages say when a link expires."""

import math
from datetime import datetime, timedelta

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.utils import timezone

register = template.Library()

DAY = timedelta(days=1)


@register.filter
def in_days(when: datetime) -> str:
    """The time until then in days, counted up; in hours or minutes on the last day.

    A link of 14 days is shown as "in 14 days", and not as "2 weeks from now".
    """
    left = when - timezone.now()
    if left <= DAY:
        return str(naturaltime(when))
    days = math.ceil(left / DAY)
    return f"in {days} day" if days == 1 else f"in {days} days"
