"""How a rater leaves a campaign: what they hold goes back, what they handed in stays."""

from django.db import transaction
from django.utils import timezone

from annotation.models import Assignment, Campaign, Membership
from rarrweb.accounts.models import User


@transaction.atomic
def leave(user: User, campaign: Campaign) -> None:
    """The user judges no more in the campaign, and holds no place of an item that they began.

    What they answered about it is kept as it is; they find it again if they are let in again.
    """
    begun = Assignment.objects.filter(
        rater_id=user.pk, item__campaign=campaign, submitted_at=None, slot__isnull=False
    )
    begun.update(slot=None, lease_until=timezone.now())
    campaign.memberships.filter(user_id=user.pk, role=Membership.Role.ANNOTATOR).delete()
