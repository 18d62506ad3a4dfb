from annotation.models.assignments import Assignment, AssignmentQuerySet
from annotation.models.campaigns import Campaign, CampaignQuerySet, CampaignRun, Membership
from annotation.models.checks import CheckSettings, Pause, ReferenceAnswer, TrainingAttempt
from annotation.models.guidelines import GuidelinesVersion, RaterAnswer, RaterQuestion
from annotation.models.items import Item
from annotation.models.joining import (
    CampaignInvitation,
    ConsentAnswer,
    ConsentText,
    Crowd,
    EntryAttempt,
    InvitationUse,
    Participant,
    PlatformIdentity,
)
from annotation.models.judgments import Adjudication, AdjudicationOpening, Judgment
