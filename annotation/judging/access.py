"""What a user may open, and an assignment's position among theirs."""

from dataclasses import dataclass

from django.db.models import Count, Max, Min, Q
from django.shortcuts import get_object_or_404

from annotation.models import Assignment, Campaign, Item
from annotation.quality_control import training
from rarrweb.accounts.models import User


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentPosition:
    """An assignment's position among its rater's assignments in the campaign.

    Training assignments are numbered apart.
    """

    number: int
    """From 1, in the order of claiming."""
    submitted: int
    """The number of these that are submitted."""
    previous_id: int | None
    next_id: int | None


def position_of(assignment: Assignment) -> AssignmentPosition:
    """Find the assignment's position. One query."""
    for_training = Q(purpose=Item.Use.TRAINING)
    counted = Assignment.objects.filter(
        for_training if training.is_training(assignment) else ~for_training,
        campaign=assignment.campaign_id,
        rater=assignment.rater_id,
    )
    return AssignmentPosition(
        **counted.aggregate(
            submitted=Count("submitted_at"),
            number=Count("pk", filter=Q(pk__lte=assignment.pk)),
            previous_id=Max("pk", filter=Q(pk__lt=assignment.pk)),
            next_id=Min("pk", filter=Q(pk__gt=assignment.pk)),
        )
    )


def assignment_of_rater(user: User, assignment_id: int) -> Assignment:
    """Return the user's assignment with its item, campaign and `is_uninstructed`.

    Raises `Http404`.
    """
    rows = Assignment.objects.visible_to(user).with_instruction().select_related("item__campaign")
    assignment = get_object_or_404(rows, pk=assignment_id)
    assignment.rater = user  # the same row, without a query
    return assignment


def visible_campaign(user: User, slug: str) -> Campaign:
    """Return the campaign with its settings of training and gold. Raises `Http404`."""
    return get_object_or_404(Campaign.objects.visible_to(user).select_related("checks"), slug=slug)
