"""What people work on and what they say."""

from annotation.models.assignments import Assignment, AssignmentQuerySet
from annotation.models.campaigns import Campaign, CampaignInvitation, CampaignQuerySet, Membership
from annotation.models.items import Item
from annotation.models.judgments import Adjudication, Judgment

__all__ = [
    "Adjudication",
    "Assignment",
    "AssignmentQuerySet",
    "Campaign",
    "CampaignInvitation",
    "CampaignQuerySet",
    "Item",
    "Judgment",
    "Membership",
]
