"""What a user may open of what is judged."""

from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import Assignment, Campaign
from rarrweb.accounts.models import User


def is_own(user: User, assignment_id: int) -> bool:
    return Assignment.objects.visible_to(user).filter(pk=assignment_id).exists()


def own_unread(user: User, assignment_id: int) -> Assignment:
    """The user's own assignment with nothing but its key: `slots.lock` reads it, once.

    Raises `Http404`, also where the user is no annotator of its campaign any more.
    """
    if not is_own(user, assignment_id):
        raise Http404
    return Assignment(pk=assignment_id, rater=user)


def own_assignment(user: User, assignment_id: int) -> Assignment:
    """The user's own assignment, with its item and campaign. Raises `Http404`."""
    own_unread(user, assignment_id)
    rows = Assignment.objects.select_related("item__campaign")
    found = get_object_or_404(rows, pk=assignment_id)
    found.rater = user
    return found


def visible_campaign(user: User, slug: str) -> Campaign:
    """A campaign that the user may see, with its settings for training and gold.

    Raises `Http404`.
    """
    return get_object_or_404(Campaign.objects.visible_to(user).select_related("checks"), slug=slug)
