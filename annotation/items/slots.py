"""An item's slots 1..n: who holds one under which lease, and which is free.

A slot is held by a submitted assignment for good, and by an unsubmitted one for as long as its
lease runs. Nothing sweeps: whether a lease has run out is asked at the moment somebody else wants
the slot.
"""

from datetime import timedelta
from typing import NamedTuple

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotation.models import Assignment, Item

LEASE = timedelta(minutes=30)


class Place(NamedTuple):
    """An item that is locked, and how many raters it wants."""

    item: int
    wanted: int


def lock(assignment: Assignment, *, of_rater: bool) -> None:
    """Lock the assignment until the transaction ends, and load it, its item and its campaign.

    `of_rater`: only while its rater judges in the campaign. Only its key and rater need be set.
    Raises `Http404` where there is none (any more).
    """
    rows = Assignment.objects.visible_to(assignment.rater) if of_rater else Assignment.objects.all()
    rows = rows.select_for_update(of=("self",), no_key=True).select_related("item__campaign")
    locked = get_object_or_404(rows, pk=assignment.pk)
    for field in Assignment._meta.concrete_fields:
        setattr(assignment, field.attname, getattr(locked, field.attname))
    assignment.item = locked.item


def renew(assignment: Assignment) -> bool:
    """As `hold`, of an assignment that this transaction has locked; the caller saves the lease.

    Nobody takes a slot away from a row that is locked, so it need not be asked for again.
    """
    if assignment.skipped_at is not None or assignment.released_at is not None:
        return False
    if assignment.slot is None and not assignment.purpose:
        return hold(assignment)
    assignment.lease_until = max(assignment.lease_until, timezone.now() + LEASE)
    return True


def hold(assignment: Assignment) -> bool:
    """Renew the lease, and take a slot back if there is one; whether a slot is now held.

    Call it inside a transaction. It changes `assignment` to what the row then holds. What was
    skipped or released holds no slot until that is taken back; what trains or checks its rater
    needs none.
    """
    rows = Assignment.objects.filter(pk=assignment.pk, skipped_at=None, released_at=None)
    # What was sent back has days; its rater's clicks do not shorten them.
    assignment.lease_until = max(assignment.lease_until, timezone.now() + LEASE)
    if assignment.purpose:
        return bool(rows.update(lease_until=assignment.lease_until))
    # Conditional: a claim at this very moment may be giving the slot to somebody else.
    if not rows.filter(slot__isnull=False).update(lease_until=assignment.lease_until):
        place = lock_item(assignment.item_id)
        assignment.slot = free_slot(place) if rows.exists() else None
        if not rows.update(slot=assignment.slot, lease_until=assignment.lease_until):
            assignment.slot = None
    elif assignment.slot is None:
        assignment.slot = rows.values_list("slot", flat=True).get()
    return assignment.slot is not None


def lock_item(item_id: int) -> Place:
    """The item, locked until the transaction ends; another's lock is waited for."""
    return Place(*_locking(item_id).get())


def free_slot(place: Place) -> int | None:
    """A slot of the locked item: one never taken, or one whose lease ran out."""
    now = timezone.now()
    slots = Assignment.objects.filter(item=place.item, slot__isnull=False)
    taken = dict(slots.values_list("slot", "pk"))
    wanted = range(1, place.wanted + 1)
    for slot in wanted:
        if slot not in taken:
            return slot
    for slot in wanted:
        # Its rater may be saving, and so renewing the lease, at this moment. Then it is theirs:
        # not to wait for them is also what keeps two who want the item from waiting in a ring.
        expired = Assignment.objects.filter(pk=taken[slot], submitted_at=None, lease_until__lte=now)
        if list(expired.select_for_update(skip_locked=True)) and expired.update(slot=None):
            return slot
    return None


def lock_if_free(item_id: int) -> Place | None:
    """The item, locked; None where another has locked it just now."""
    result = list(_locking(item_id, skip_locked=True))
    return Place(*result[0]) if result else None


def _locking(item_id: int, *, skip_locked: bool = False) -> QuerySet[Item, tuple[int, int]]:
    # A no-key lock: others' foreign keys to the row are checked without waiting.
    rows = Item.objects.select_for_update(skip_locked=skip_locked, no_key=True)
    # Without the default order, which would join the campaign, and so lock it.
    return rows.filter(pk=item_id).order_by().values_list("pk", "wanted")
