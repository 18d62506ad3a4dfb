"""For researchers: release a rater's work, send it back, undo sending it back."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotation.items.rater_demand import count_again
from annotation.items.slots import hold
from annotation.judging.answers import answers_of, lock_for_change
from annotation.models import Assignment
from rarrweb.accounts.models import User

NOTE_LIMIT = 1_000
RETURN_LEASE = timedelta(days=7)
"""Long, as raters may not log in every day."""
FIELDS = ("returned_at", "returned_by", "return_note", "earlier_submitted_at", "submitted_at")
"""Changed by `send_back` and `undo_send_back`."""


class CannotRelease(Exception):
    """The work is submitted or skipped."""


class CannotSendBack(Exception):
    """There is no work to send back, or no return to undo."""


def release(assignment: Assignment, *, by: User) -> None:
    """Free the slot now; later answers are saved as late.

    Raises `CannotRelease`, `ChangeRefused`.
    """
    with transaction.atomic():
        lock_for_change(assignment, by_rater=False)
        if assignment.submitted_at is not None:
            raise CannotRelease(
                "This item was submitted meanwhile, so there is nothing to release."
            )
        if assignment.skipped_at is not None:
            raise CannotRelease("Its rater skipped it meanwhile: the place is free already.")
        assignment.released_at = assignment.lease_until = timezone.now()
        assignment.released_by = by
        assignment.slot = None
        assignment.save(update_fields=["released_at", "released_by", "lease_until", "slot"])


def send_back(assignment: Assignment, *, by: User, note: str = "") -> bool:
    """Give work back to its rater, who gets it before any new item.

    Returns whether the rater holds a slot. Raises `CannotSendBack`, `ChangeRefused`.
    """
    with transaction.atomic():
        lock_for_change(assignment, by_rater=False)
        if not (assignment.submitted_at or assignment.skipped_at or assignment.released_at):
            raise CannotSendBack("The rater is working on this item, so you cannot send it back.")
        now = timezone.now()
        assignment.returned_at, assignment.returned_by = now, by
        assignment.return_note = note
        assignment.earlier_submitted_at = assignment.submitted_at
        assignment.submitted_at = assignment.skipped_at = assignment.released_at = None
        assignment.lease_until = now + RETURN_LEASE
        assignment.save(update_fields=[*FIELDS, "skipped_at", "released_at", "lease_until"])
        _hold_or_mark_late(assignment)
    return assignment.is_held


def undo_send_back(assignment: Assignment) -> None:
    """Make the work submitted again, at its earlier time.

    Raises `CannotSendBack`, `ChangeRefused`.
    """
    with transaction.atomic():
        questionnaire = lock_for_change(assignment, by_rater=False)
        if assignment.earlier_submitted_at is None or assignment.submitted_at is not None:
            raise CannotSendBack("The rater has submitted it again, so there is nothing to undo.")
        if questionnaire.gaps(assignment.item, answers_of(assignment)):
            raise CannotSendBack(
                "The rater has taken an answer back meanwhile, so it cannot count as submitted. "
                "Wait until it is submitted again."
            )
        assignment.submitted_at = assignment.earlier_submitted_at
        assignment.returned_at = assignment.returned_by = assignment.earlier_submitted_at = None
        assignment.return_note = ""
        assignment.save(update_fields=FIELDS)
        _hold_or_mark_late(assignment)


def _hold_or_mark_late(assignment: Assignment) -> None:
    assignment.is_late = not hold(assignment)
    assignment.save(update_fields=["is_late"])
    count_again(assignment.item_id)
