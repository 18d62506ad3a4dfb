"""An item's slots 1 to n for n raters.

A submitted assignment holds its slot for good, an unsubmitted one during its lease, and after that
until another rater takes it.
"""

from datetime import timedelta
from typing import NamedTuple

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotation.models import Assignment, Item

LEASE = timedelta(minutes=30)


class LockedItem(NamedTuple):
    item: int
    wanted: int


def lock(assignment: Assignment, *, by_rater: bool) -> None:
    """Lock the assignment, and load it with its item and campaign.

    `by_rater`: only if its rater still judges in the campaign. Raises `Http404`.
    """
    rows = Assignment.objects.visible_to(assignment.rater) if by_rater else Assignment.objects.all()
    rows = rows.select_for_update(of=("self",), no_key=True).select_related("item__campaign")
    locked = get_object_or_404(rows, pk=assignment.pk)
    for field in Assignment._meta.concrete_fields:
        setattr(assignment, field.attname, getattr(locked, field.attname))
    assignment.item = locked.item


def renew(assignment: Assignment) -> bool:
    """Do as `hold` for a locked assignment; the caller saves the lease."""
    if assignment.skipped_at is not None or assignment.released_at is not None:
        return False
    if assignment.slot is None and not assignment.purpose:
        return hold(assignment)
    assignment.lease_until = max(assignment.lease_until, timezone.now() + LEASE)
    return True


def hold(assignment: Assignment) -> bool:
    """Renew the lease, take a slot if one is free, and return whether the rater may work.

    Call it in a transaction. Skipped and released work gets no slot; training and gold items need
    none.
    """
    rows = Assignment.objects.filter(pk=assignment.pk, skipped_at=None, released_at=None)
    # Work that was sent back has a longer lease.
    assignment.lease_until = max(assignment.lease_until, timezone.now() + LEASE)
    if assignment.purpose:
        return bool(rows.update(lease_until=assignment.lease_until))
    # In one statement, as a claim may give the slot to another rater.
    if not rows.filter(slot__isnull=False).update(lease_until=assignment.lease_until):
        locked = lock_item(assignment.item_id)
        assignment.slot = free_slot(locked) if rows.exists() else None
        if not rows.update(slot=assignment.slot, lease_until=assignment.lease_until):
            assignment.slot = None
    elif assignment.slot is None:
        assignment.slot = rows.values_list("slot", flat=True).get()
    return assignment.slot is not None


def lock_item(item_id: int) -> LockedItem:
    """Lock the item, after other transactions that have locked it."""
    return LockedItem(*_locking(item_id).get())


def free_slot(locked: LockedItem) -> int | None:
    """Return a slot that is free or has an expired lease."""
    now = timezone.now()
    slots = Assignment.objects.filter(item=locked.item, slot__isnull=False)
    taken = dict(slots.values_list("slot", "pk"))
    wanted = range(1, locked.wanted + 1)
    for slot in wanted:
        if slot not in taken:
            return slot
    for slot in wanted:
        # A locked assignment is being saved; waiting could deadlock.
        expired = Assignment.objects.filter(pk=taken[slot], submitted_at=None, lease_until__lte=now)
        if list(expired.select_for_update(skip_locked=True)) and expired.update(slot=None):
            return slot
    return None


def lock_if_free(item_id: int) -> LockedItem | None:
    """Lock the item; return None if another transaction has locked it."""
    rows = list(_locking(item_id, skip_locked=True))
    return LockedItem(*rows[0]) if rows else None


def _locking(item_id: int, *, skip_locked: bool = False) -> QuerySet[Item, tuple[int, int]]:
    rows = Item.objects.select_for_update(skip_locked=skip_locked, no_key=True)
    # The default order would join the campaign, and so lock it.
    return rows.filter(pk=item_id).order_by().values_list("pk", "wanted")
