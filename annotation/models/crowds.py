"""Participants from crowd platforms.

Only `PlatformIdentity` identifies a person on the platform; it can be emptied on its own.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.campaigns import Campaign


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
