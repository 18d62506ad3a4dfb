"""How long a rater's items take them, and so how long what is left may take. For them alone."""

from statistics import median

from annotation.models import Assignment, Campaign
from rarrweb.accounts.models import User

FEWEST = 3
"""Items handed in before there is an estimate."""
LATEST = 30
"""Items that it rests on: people get quicker."""
MINUTE = 60


def seconds_an_item(user: User, campaign: Campaign) -> float | None:
    """The median time that the rater's latest items took; None before there are enough.

    The time on the page without its idle part, where the page told it; else from claiming the item
    to handing it in. One query.
    """
    rows = (
        Assignment.objects.submitted()
        .filter(rater_id=user.pk, campaign=campaign)
        .order_by("-submitted_at")
        .values_list("active_ms", "claimed_at", "submitted_at")[:LATEST]
    )
    times = [
        active / 1000 if active else (submitted - claimed).total_seconds()
        for active, claimed, submitted in rows
    ]
    return median(times) if len(times) >= FEWEST else None


def in_words(seconds: float) -> str:
    """A time as coarse as an estimate is: "1 min", "25 min", "1 h 10 min", "6 h".

    >>> in_words(20), in_words(8 * 60), in_words(23 * 60), in_words(68 * 60), in_words(21_000)
    ('1 min', '8 min', '25 min', '1 h 10 min', '6 h')
    """
    minutes = max(round(seconds / MINUTE), 1)
    if minutes < 10:
        return f"{minutes} min"
    if minutes < 57:
        return f"{5 * round(minutes / 5)} min"
    if minutes < 5 * MINUTE:
        hours, rest = divmod(10 * round(minutes / 10), MINUTE)
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    return f"{round(minutes / MINUTE)} h"
