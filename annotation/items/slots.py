"""An item's slots 1 to n: who holds one under which lease, and which is free.

A submitted assignment holds its slot for good, an unsubmitted one while its lease runs. Expired
leases are noticed only when another rater wants the slot.
"""

from datetime import timedelta
from typing import NamedTuple

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotation.models import Assignment, Item

LEASE = timedelta(minutes=30)


class LockedItem(NamedTuple):
    """A locked item and how many raters it wants."""

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
    """As `hold`, for an assignment locked by this transaction; the caller saves the lease.

    Nobody takes a slot from a locked row.
    """
    if assignment.skipped_at is not None or assignment.released_at is not None:
        return False
    if assignment.slot is None and not assignment.purpose:
        return hold(assignment)
    assignment.lease_until = max(assignment.lease_until, timezone.now() + LEASE)
    return True


def hold(assignment: Assignment) -> bool:
    """Renew the lease, and take a free slot back; return whether a slot is held.

    Call it in a transaction. It changes `assignment` as it changes the row. Skipped and
    released work gets no slot; training and gold items need none.
    """
    rows = Assignment.objects.filter(pk=assignment.pk, skipped_at=None, released_at=None)
    # What was sent back has days; its rater's clicks do not shorten them.
    assignment.lease_until = max(assignment.lease_until, timezone.now() + LEASE)
    if assignment.purpose:
        return bool(rows.update(lease_until=assignment.lease_until))
    # Conditional: a claim at this very moment may be giving the slot to somebody else.
    if not rows.filter(slot__isnull=False).update(lease_until=assignment.lease_until):
        locked = lock_item(assignment.item_id)
        assignment.slot = free_slot(locked) if rows.exists() else None
        if not rows.update(slot=assignment.slot, lease_until=assignment.lease_until):
            assignment.slot = None
    elif assignment.slot is None:
        assignment.slot = rows.values_list("slot", flat=True).get()
    return assignment.slot is not None


def lock_item(item_id: int) -> LockedItem:
    """Lock the item until the transaction ends, waiting for other locks."""
    return LockedItem(*_locking(item_id).get())


def free_slot(locked: LockedItem) -> int | None:
    """A slot of the locked item that was never taken, or whose lease ran out."""
    now = timezone.now()
    slots = Assignment.objects.filter(item=locked.item, slot__isnull=False)
    taken = dict(slots.values_list("slot", "pk"))
    wanted = range(1, locked.wanted + 1)
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


def lock_if_free(item_id: int) -> LockedItem | None:
    """Lock the item; None where another transaction has locked it."""
    result = list(_locking(item_id, skip_locked=True))
    return LockedItem(*result[0]) if result else None


def _locking(item_id: int, *, skip_locked: bool = False) -> QuerySet[Item, tuple[int, int]]:
    # A no-key lock: others' foreign keys to the row are checked without waiting.
    rows = Item.objects.select_for_update(skip_locked=skip_locked, no_key=True)
    # Without the default order, which would join the campaign, and so lock it.
    return rows.filter(pk=item_id).order_by().values_list("pk", "wanted")
