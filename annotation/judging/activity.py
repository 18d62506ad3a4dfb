"""What a page tells of its rater's visit: time, clicks and keys, and that it has the item in hand.

A visit is one page, from its opening to its closing. It sends its totals so far, never what was
added, so a report that comes twice or out of order changes nothing. The desk is where an item is
being worked on: one browser tab at a time.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from annotation.items.slots import lock, renew
from annotation.models import Assignment, Campaign
from annotation.raters import consent

DESK_LEASE = timedelta(minutes=2)
"""A page that gave no sign for so long has the item in hand no more."""
VISITS_KEPT = 200
"""Visits of an item that are told apart; others are kept as one."""
EARLIER = "earlier"

FIELDS = ("active_ms", "idle_ms", "clicks", "keys", "visits", "desk", "desk_at")
"""The columns of `Assignment` that this module changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The totals of one page so far."""

    id: uuid.UUID
    tab: uuid.UUID
    """The browser's tab, the same for all pages that follow each other in it."""
    active_ms: int = 0
    idle_ms: int = 0
    clicks: int = 0
    keys: int = 0
    is_active: bool = False
    """Whether there was any input since the last report: then the lease is renewed."""
    takes_over: bool = False
    """The rater wants to go on here, and not where the item is in hand."""
    leaves: bool = False
    """The page is going away."""


def report(assignment: Assignment, visit: Visit) -> None:
    """Count a visit that brings no answer; renew the lease if its rater is at work.

    Of a rater who declined or withdrew nothing is counted.
    """
    with transaction.atomic():
        lock(assignment)
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
    """Put the visit's totals, and where the item is in hand, on the locked assignment."""
    key = visit.id.hex
    told = (visit.active_ms, visit.idle_ms, visit.clicks, visit.keys)
    known = assignment.visits.get(key, (0, 0, 0, 0))
    assignment.visits[key] = [max(pair) for pair in zip(known, told, strict=True)]
    _fold(assignment, keep=key)
    sums = [sum(column) for column in zip(*assignment.visits.values(), strict=True)]
    assignment.active_ms, assignment.idle_ms, assignment.clicks, assignment.keys = sums
    now = timezone.now()
    if visit.leaves:
        if assignment.desk == visit.tab:
            assignment.desk = assignment.desk_at = None
    elif visit.takes_over or not is_elsewhere(assignment, visit.tab, now=now):
        assignment.desk, assignment.desk_at = visit.tab, now


def is_elsewhere(assignment: Assignment, tab: uuid.UUID, *, now: datetime | None = None) -> bool:
    """Whether another tab than `tab`, here or in another browser, has the item in hand."""
    return active_tab(assignment, now=now) not in (None, tab)


def active_tab(assignment: Assignment, *, now: datetime | None = None) -> uuid.UUID | None:
    """The tab that has the item in hand; None where none has given a sign of late."""
    if assignment.desk is None or assignment.desk_at is None:
        return None
    is_fresh = (now or timezone.now()) - assignment.desk_at < DESK_LEASE
    return assignment.desk if is_fresh else None


def _fold(assignment: Assignment, *, keep: str) -> None:
    """Keep the row small: what is beyond so many visits becomes one, but not this one."""
    while len(assignment.visits) > VISITS_KEPT:
        folded = next(key for key in assignment.visits if key not in (EARLIER, keep))
        before = assignment.visits.get(EARLIER, (0, 0, 0, 0))
        gone = assignment.visits.pop(folded)
        assignment.visits[EARLIER] = [sum(pair) for pair in zip(before, gone, strict=True)]
