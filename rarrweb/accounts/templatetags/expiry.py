"""How pages say when a link expires."""

import math
from datetime import datetime, timedelta

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.utils import timezone
from django.utils.translation import ngettext

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
    return ngettext("in %(number)d day", "in %(number)d days", days) % {"number": days}
