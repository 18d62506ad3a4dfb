"""What a user may open."""

from django.shortcuts import get_object_or_404

from annotation.models import Assignment, Campaign
from rarrweb.accounts.models import User


def assignment_of_rater(user: User, assignment_id: int) -> Assignment:
    """Return the user's assignment with its item and campaign. Raises `Http404`."""
    rows = Assignment.objects.visible_to(user).select_related("item__campaign")
    assignment = get_object_or_404(rows, pk=assignment_id)
    assignment.rater = user
    return assignment


def visible_campaign(user: User, slug: str) -> Campaign:
    """Return the campaign with its settings of training and gold. Raises `Http404`."""
    return get_object_or_404(Campaign.objects.visible_to(user).select_related("checks"), slug=slug)
