from annotation.models.assignments import Assignment, AssignmentQuerySet
from annotation.models.campaigns import Campaign, CampaignQuerySet, CampaignRun, Membership
from annotation.models.checks import CheckSettings, Pause, ReferenceAnswer, TrainingAttempt
from annotation.models.consent import ConsentAnswer, ConsentText
from annotation.models.crowds import Crowd, EntryAttempt, Participant, PlatformIdentity
from annotation.models.guidelines import GuidelinesVersion
from annotation.models.invitations import CampaignInvitation, InvitationUse
from annotation.models.items import Item
from annotation.models.judgments import Adjudication, AdjudicationOpening, Judgment
from annotation.models.rater_questions import RaterAnswer, RaterQuestion

__all__ = [
    "Adjudication",
    "AdjudicationOpening",
    "Assignment",
    "AssignmentQuerySet",
    "Campaign",
    "CampaignInvitation",
    "CampaignQuerySet",
    "CampaignRun",
    "CheckSettings",
    "ConsentAnswer",
    "ConsentText",
    "Crowd",
    "EntryAttempt",
    "GuidelinesVersion",
    "InvitationUse",
    "Item",
    "Judgment",
    "Membership",
    "Participant",
    "Pause",
    "PlatformIdentity",
    "RaterAnswer",
    "RaterQuestion",
    "ReferenceAnswer",
    "TrainingAttempt",
]
