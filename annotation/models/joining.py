"""How people join a campaign: consent, invitations, crowd platforms.

Only `PlatformIdentity` identifies a person on the platform; it can be emptied on its own.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.campaigns import Campaign, Membership
from rarrweb.accounts.models import ExpiringLink, User


class ConsentText(models.Model):
    """A version of a campaign's consent text, never changed; raters are asked for the newest.

    An empty text asks for nothing.
    """

    class Withdrawal(models.TextChoices):
        DELETE = "delete", "everything that they judged is deleted"
        KEEP = "keep", "what they submitted is kept under its pseudonym"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    """Markdown."""
    withdrawal = models.CharField(max_length=10, choices=Withdrawal, default=Withdrawal.DELETE)
    """What happens to the work after withdrawal."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign", "version"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "version"], name="annotation_consent_version_once"
            )
        ]

    def __str__(self) -> str:
        return f"consent {self.version} of {self.campaign}"


class ConsentAnswer(models.Model):
    """A rater's answer to one version; append-only, the last one counts."""

    class Answer(models.TextChoices):
        AGREED = "agreed", "agreed"
        DECLINED = "declined", "did not agree"
        WITHDRAWN = "withdrawn", "took the consent back"

    text = models.ForeignKey(ConsentText, on_delete=models.CASCADE, related_name="answers")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="consent_answers"
    )
    answer = models.CharField(max_length=10, choices=Answer)
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["text", "rater"], name="annotation_consent_of_rater")]

    def __str__(self) -> str:
        return f"{self.rater} {self.get_answer_display()}: {self.text}"


class CampaignInvitation(ExpiringLink):
    """A link by which up to `max_uses` people join a campaign, in one role.

    The last use sets `accepted_at`.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(
        max_length=20, choices=Membership.Role, default=Membership.Role.ANNOTATOR
    )
    max_uses = models.PositiveIntegerField(default=1)
    other_campaigns = models.ManyToManyField(Campaign, related_name="+", blank=True)
    """Joined with the same link, in the same role."""

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.campaign}"

    def may_be_made_by(self, user: User) -> bool:
        return Campaign.objects.led_by(user).filter(pk=self.campaign_id).exists()


class InvitationUse(models.Model):
    invitation = models.ForeignKey(
        CampaignInvitation, on_delete=models.CASCADE, related_name="uses"
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["invitation", "user"], name="annotation_invitation_use_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} by {self.invitation}"


class Crowd(models.Model):
    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="crowd")
    key = models.CharField(max_length=64, unique=True)
    """The secret part of the entry's address."""
    is_open = models.BooleanField(default=True)
    """For new participants; others may always continue."""
    participant_parameter = models.CharField(max_length=50, default="PROLIFIC_PID")
    """The address's parameter that identifies the person."""
    study_parameter = models.CharField(max_length=50, default="STUDY_ID", blank=True)
    session_parameter = models.CharField(max_length=50, default="SESSION_ID", blank=True)
    quota = models.PositiveIntegerField(default=10)
    """Items that a participant submits."""
    completion_code = models.CharField(max_length=100, blank=True)
    """Empty: each participant gets another code."""
    returned_code = models.CharField(max_length=100, blank=True)
    screened_out_code = models.CharField(max_length=100, blank=True)
    back_url = models.CharField(max_length=500, blank=True)
    """The platform's page to return to; `{code}` is replaced."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(quota__gte=1), name="annotation_crowd_has_quota"),
        ]

    def __str__(self) -> str:
        return f"crowd of {self.campaign}"


class Participant(models.Model):
    """A person of a crowd, with an account without a password."""

    class State(models.TextChoices):
        ACTIVE = "active", "working"
        COMPLETED = "completed", "completed"
        RETURNED = "returned", "stopped"
        DECLINED = "declined", "did not consent"
        SCREENED_OUT = "screened-out", "screened out"

    crowd = models.ForeignKey(Crowd, on_delete=models.CASCADE, related_name="participants")
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="participation"
    )
    id_hash = models.CharField(max_length=64)
    """Keyed hash of the platform's id."""
    state = models.CharField(max_length=20, choices=State, default=State.ACTIVE)
    entered_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    code = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["entered_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["crowd", "id_hash"], name="annotation_participant_once")
        ]
        indexes = [models.Index(fields=["crowd", "state"], name="annotation_crowd_states")]

    def __str__(self) -> str:
        return f"participant {self.pk} of {self.crowd}"


class PlatformIdentity(models.Model):
    """Needed for payment, then deleted."""

    participant = models.OneToOneField(
        Participant, on_delete=models.CASCADE, related_name="identity"
    )
    platform_id = models.CharField(max_length=200)
    study_id = models.CharField(max_length=200, blank=True)
    session_id = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name_plural = "platform identities"

    def __str__(self) -> str:
        return f"identity of participant {self.pk}"


class EntryAttempt(models.Model):
    """An entry from a network address, stored for minutes to count them."""

    address_hash = models.CharField(max_length=64)
    at = models.DateTimeField(db_index=True)

    class Meta:
        indexes = [models.Index(fields=["address_hash", "at"], name="annotation_entry_by_address")]

    def __str__(self) -> str:
        return f"entry at {self.at:%Y-%m-%d %H:%M:%S}"
