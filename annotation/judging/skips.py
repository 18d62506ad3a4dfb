"""Skipping an item with a reason, which frees its slot."""

from django.db import transaction
from django.utils import timezone

from annotation.items.slots import hold
from annotation.judging.answers import lock_for_change
from annotation.models import Assignment, Item

NOTE_LIMIT = 1_000


class CannotSkip(Exception):
    """The item is submitted, or for training."""


def skip(assignment: Assignment, *, reason: str, note: str = "") -> None:
    """Free the slot and store the reason, in place of an earlier one; answers stay.

    Raises `CannotSkip`, `ChangeRefused`.
    """
    with transaction.atomic():
        lock_for_change(assignment)
        if assignment.submitted_at is not None:
            raise CannotSkip(
                "You have submitted this item, so it cannot be skipped. "
                "Change your answers instead, or write a comment."
            )
        if assignment.purpose == Item.Use.TRAINING:
            raise CannotSkip(
                "This is a training item, so it cannot be skipped. "
                "Answer as well as you can: you see the right answers afterwards."
            )
        assignment.skipped_at = assignment.lease_until = timezone.now()
        assignment.skip_reason, assignment.skip_note = reason, note
        assignment.slot, assignment.is_late = None, False
        changed = ["skipped_at", "skip_reason", "skip_note", "slot", "is_late", "lease_until"]
        assignment.save(update_fields=changed)


def undo_skip(assignment: Assignment) -> bool:
    """Undo a skip, and return whether the rater holds a slot; without one, the work is late.

    Raises `ChangeRefused`.
    """
    with transaction.atomic():
        lock_for_change(assignment)
        if assignment.skipped_at is not None:
            assignment.skipped_at = None
            assignment.skip_reason = assignment.skip_note = ""
            # Before `hold`, which refuses skipped work.
            assignment.save(update_fields=["skipped_at", "skip_reason", "skip_note"])
            assignment.is_late = not hold(assignment)
            assignment.save(update_fields=["is_late"])
    return assignment.is_held
