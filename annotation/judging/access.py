"""What a user may open, and its position among their items."""

from dataclasses import dataclass

from django.db.models import Count, Max, Min, Q
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotation.models import Assignment, Campaign, Item
from annotation.quality_control import training
from rarrweb.accounts.models import User


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPosition:
    """An item's position in the campaign: among its rater's training items, or all others."""

    number: int
    """From 1, in the order of claiming."""
    submitted: int
    """The number of submitted items."""
    today: int
    """The number of items submitted today."""
    previous: int | None
    """The id of the assignment before it."""
    following: int | None
    """The id of the assignment after it."""


def position_of(assignment: Assignment) -> ItemPosition:
    """Count a training item among the rater's training items, others among all others."""
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    is_training = Q(purpose=Item.Use.TRAINING)
    items = Assignment.objects.filter(
        is_training if training.is_training(assignment) else ~is_training,
        campaign=assignment.campaign_id,
        rater=assignment.rater_id,
    )
    return ItemPosition(
        **items.aggregate(
            submitted=Count("submitted_at"),
            number=Count("pk", filter=Q(pk__lte=assignment.pk)),
            today=Count("pk", filter=Q(submitted_at__gte=midnight)),
            previous=Max("pk", filter=Q(pk__lt=assignment.pk)),
            following=Min("pk", filter=Q(pk__gt=assignment.pk)),
        )
    )


def assignment_of_rater(user: User, assignment_id: int) -> Assignment:
    """Return the user's assignment with its item and campaign. Raises `Http404`."""
    rows = Assignment.objects.visible_to(user).select_related("item__campaign")
    assignment = get_object_or_404(rows, pk=assignment_id)
    assignment.rater = user
    return assignment


def visible_campaign(user: User, slug: str) -> Campaign:
    """Return the campaign with its settings of training and gold. Raises `Http404`."""
    return get_object_or_404(Campaign.objects.visible_to(user).select_related("checks"), slug=slug)
