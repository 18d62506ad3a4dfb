"""A rater's visits to an item: time, clicks and keys.

A visit is one loading of the item's page. Each report has its totals so far, and the greatest are
stored, so repeated and delayed reports change nothing.
"""

import uuid
from dataclasses import dataclass

from django.db import transaction

from annotation.items.slots import lock, renew
from annotation.models import Assignment, Campaign
from annotation.raters import consent

MAX_VISITS = 200
"""Visits of an item that are stored separately; older ones are added up."""
EARLIER = "earlier"
"""The key of the sum of older visits."""

FIELDS = ("active_ms", "idle_ms", "clicks", "keys", "visits")
"""The columns of `Assignment` that `apply_visit` changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A visit's totals so far."""

    id: uuid.UUID
    active_ms: int = 0
    idle_ms: int = 0
    clicks: int = 0
    keys: int = 0
    is_active: bool = False
    """Whether there was input since the last report, which renews the lease."""


def save_visit(assignment: Assignment, visit: Visit) -> None:
    """Save a visit that comes without answers, and renew the lease of an active rater.

    Nothing is saved for raters who declined or withdrew. Raises `Http404`.
    """
    with transaction.atomic():
        lock(assignment, by_rater=True)
        if consent.is_refused(assignment.rater, assignment.item.campaign):
            return
        is_open = assignment.item.campaign.state in Campaign.OPEN
        is_working = visit.is_active and is_open and assignment.submitted_at is None
        # A visit can end lateness, but not cause it.
        if is_working and renew(assignment):
            assignment.is_late = False
        apply_visit(assignment, visit)
        assignment.save(update_fields=["lease_until", "is_late", *FIELDS])


def apply_visit(assignment: Assignment, visit: Visit) -> None:
    """Set the visit's totals on the locked assignment, without saving it."""
    key = visit.id.hex
    new = (visit.active_ms, visit.idle_ms, visit.clicks, visit.keys)
    old = assignment.visits.get(key, (0, 0, 0, 0))
    assignment.visits[key] = [max(pair) for pair in zip(old, new, strict=True)]
    _merge_oldest(assignment, current=key)
    sums = [sum(column) for column in zip(*assignment.visits.values(), strict=True)]
    assignment.active_ms, assignment.idle_ms, assignment.clicks, assignment.keys = sums


def _merge_oldest(assignment: Assignment, *, current: str) -> None:
    """Add up the oldest visits beyond `MAX_VISITS`, but never `current`."""
    visits = assignment.visits
    while len(visits) > MAX_VISITS:
        oldest = visits.pop(next(key for key in visits if key not in (EARLIER, current)))
        total = visits.get(EARLIER, (0, 0, 0, 0))
        visits[EARLIER] = [sum(pair) for pair in zip(total, oldest, strict=True)]
