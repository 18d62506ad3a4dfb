"""What a page reports of its rater's visit: time, clicks and keys.

A visit is one page, from its opening to its closing. It sends its totals so far, never what was
added, so a report that comes twice or out of order changes nothing.
"""

import uuid
from dataclasses import dataclass

from django.db import transaction

from annotation.items.slots import lock, renew
from annotation.models import Assignment, Campaign
from annotation.raters import consent

VISITS_KEPT = 200
"""Visits of an item that are told apart; others are kept as one."""
EARLIER = "earlier"

FIELDS = ("active_ms", "idle_ms", "clicks", "keys", "visits")
"""The columns of `Assignment` that this module changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The totals of one page so far."""

    id: uuid.UUID
    active_ms: int = 0
    idle_ms: int = 0
    clicks: int = 0
    keys: int = 0
    is_active: bool = False
    """Whether there was any input since the last report: then the lease is renewed."""


def report(assignment: Assignment, visit: Visit) -> None:
    """Count a visit that brings no answer; renew the lease if its rater is at work.

    Of a rater who declined or withdrew nothing is counted.
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
    """Put the visit's totals on the locked assignment."""
    key = visit.id.hex
    told = (visit.active_ms, visit.idle_ms, visit.clicks, visit.keys)
    known = assignment.visits.get(key, (0, 0, 0, 0))
    assignment.visits[key] = [max(pair) for pair in zip(known, told, strict=True)]
    _fold(assignment, keep=key)
    sums = [sum(column) for column in zip(*assignment.visits.values(), strict=True)]
    assignment.active_ms, assignment.idle_ms, assignment.clicks, assignment.keys = sums


def _fold(assignment: Assignment, *, keep: str) -> None:
    """Keep the row small: what is beyond so many visits becomes one, but not this one."""
    while len(assignment.visits) > VISITS_KEPT:
        folded = next(key for key in assignment.visits if key not in (EARLIER, keep))
        before = assignment.visits.get(EARLIER, (0, 0, 0, 0))
        gone = assignment.visits.pop(folded)
        assignment.visits[EARLIER] = [sum(pair) for pair in zip(before, gone, strict=True)]
