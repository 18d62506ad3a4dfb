"""An item's position among its rater's items, and their progress."""

from dataclasses import dataclass

from django.db.models import Count, Max, Min, Q
from django.utils import timezone

from annotation.models import Assignment, Item
from annotation.quality_control import training


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPosition:
    """One item's place among its rater's own, which are counted from 1."""

    number: int
    submitted: int
    """How many of the row are handed in."""
    today: int
    """And how many of those today."""
    previous: int | None
    """The assignment before it, by id."""
    following: int | None


def position_of(assignment: Assignment) -> ItemPosition:
    """In the row of the rater's training, for an item of it, or else in that of all others."""
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    row = Assignment.objects.filter(campaign=assignment.campaign_id, rater=assignment.rater_id)
    in_training = Q(purpose=Item.Use.TRAINING)
    row = row.filter(in_training if training.is_training(assignment) else ~in_training)
    return ItemPosition(
        **row.aggregate(
            submitted=Count("submitted_at"),
            number=Count("pk", filter=Q(pk__lte=assignment.pk)),
            today=Count("pk", filter=Q(submitted_at__gte=midnight)),
            previous=Max("pk", filter=Q(pk__lt=assignment.pk)),
            following=Min("pk", filter=Q(pk__gt=assignment.pk)),
        )
    )
