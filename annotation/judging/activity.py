"""A rater's visits to an item: time, clicks and keys.

A visit is one page. It reports totals, so repeated and reordered reports change nothing.
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

FIELDS = ("active_ms", "idle_ms", "clicks", "keys", "visits")
"""The columns of `Assignment` that `note` changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The totals of one page so far."""

    id: uuid.UUID
    active_ms: int = 0
    idle_ms: int = 0
    clicks: int = 0
    keys: int = 0
    is_active: bool = False
    """Whether there was input since the last report, which renews the lease."""


def report(assignment: Assignment, visit: Visit) -> None:
    """Count a visit without an answer, and renew the lease of an active rater.

    Nothing is counted for raters who declined or withdrew. Raises `Http404`.
    """
    with transaction.atomic():
        lock(assignment, of_rater=True)
        if consent.is_refused(assignment.rater, assignment.item.campaign):
            return
        is_open = assignment.item.campaign.state in Campaign.OPEN
        if visit.is_active and is_open and assignment.submitted_at is None:
            holds = renew(assignment)
            # A look at what was skipped, or goes elsewhere, is no late work: an answer is.
            assignment.is_late = assignment.is_late and not holds
        note(assignment, visit)
        assignment.save(update_fields=["lease_until", "is_late", *FIELDS])


def note(assignment: Assignment, visit: Visit) -> None:
    """Set the visit's totals on the locked assignment."""
    key = visit.id.hex
    counts = (visit.active_ms, visit.idle_ms, visit.clicks, visit.keys)
    known = assignment.visits.get(key, (0, 0, 0, 0))
    assignment.visits[key] = [max(pair) for pair in zip(known, counts, strict=True)]
    _fold(assignment, keep=key)
    sums = [sum(column) for column in zip(*assignment.visits.values(), strict=True)]
    assignment.active_ms, assignment.idle_ms, assignment.clicks, assignment.keys = sums


def _fold(assignment: Assignment, *, keep: str) -> None:
    """Merge the oldest visits beyond `MAX_VISITS`, but never `keep`."""
    while len(assignment.visits) > MAX_VISITS:
        folded = next(key for key in assignment.visits if key not in (EARLIER, keep))
        before = assignment.visits.get(EARLIER, (0, 0, 0, 0))
        gone = assignment.visits.pop(folded)
        assignment.visits[EARLIER] = [sum(pair) for pair in zip(before, gone, strict=True)]
