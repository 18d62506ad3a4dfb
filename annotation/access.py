"""What a user may open, for pages that people wait for at every click.

Each says what its `visible_to` says; the SQL is built once (`rarrweb.prepared`).
"""

from django.http import Http404

from annotation.models import Assignment, Campaign
from rarrweb.accounts.models import User
from rarrweb.prepared import PreparedModels


def own_assignment(user: User, assignment_id: int) -> Assignment:
    """The user's own assignment, with its item and campaign. Raises `Http404`."""
    found = _OWN.first(user.pk, assignment_id)
    if found is None:
        raise Http404
    found.rater = user
    return found


def visible_campaign(user: User, slug: str) -> Campaign:
    """A campaign that the user may see, with its settings for training and gold.

    Raises `Http404`.
    """
    # A researcher sees all of them: that query has no place for who asks.
    found = _ANY.first(slug) if user.is_researcher else _MEMBERS.first(user.pk, slug)
    if found is None:
        raise Http404
    return found


_OWN = PreparedModels(
    lambda user, assignment: (
        Assignment.objects.visible_to(User(pk=user))
        .filter(pk=assignment)
        .select_related("item__campaign")
        .order_by()
    )
)
_ANY = PreparedModels(
    lambda slug: (
        Campaign.objects.visible_to(User(role=User.Role.RESEARCHER))
        .filter(slug=slug)
        .select_related("checks")
    )
)
_MEMBERS = PreparedModels(
    lambda user, slug: (
        Campaign.objects.visible_to(User(pk=user)).filter(slug=slug).select_related("checks")
    )
)
