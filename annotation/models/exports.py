"""Dataset packages that a worker writes."""

from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Self

from django.conf import settings
from django.db import models, transaction
from django.urls import reverse

from annotation.models.campaigns import Campaign
from pipeline.models.bases import AskedJob
from rarrweb.accounts.models import User

KEPT_DAYS = 30
"""So long after it was written a package's file is removed."""


class ExportJobQuerySet(models.QuerySet["ExportJob"]):
    def led_by(self, user: User) -> Self:
        """Those of the campaigns whose results the user may see."""
        return self.filter(campaign__in=Campaign.objects.led_by(user))

    def expire(self) -> None:
        """Remove the packages that are written or being written, as answers in them were deleted.

        Call it inside the transaction that deletes the answers; the files go when that commits.
        """
        states = [*ExportJob.OPEN, ExportJob.State.DONE]
        # Also the waiting ones are locked: a worker begins them once the answers are gone.
        locked = self.filter(state__in=states).select_for_update(of=("self",), no_key=True)
        for job in locked:
            if job.state != ExportJob.State.QUEUED:
                job.state, job.claim, job.lease_until = ExportJob.State.EXPIRED, "", None
                job.save(update_fields=["state", "claim", "lease_until"])
                transaction.on_commit(partial(job.path.unlink, missing_ok=True))


class ExportJob(AskedJob):
    """A dataset package: asked for by a person, written by a worker, kept for some weeks."""

    class State(models.TextChoices):
        QUEUED = "queued", "waiting for a worker"
        WRITING = "writing", "being written"
        DONE = "done", "ready"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"
        EXPIRED = "expired", "expired"

    OPEN = (State.QUEUED, State.WRITING)

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="exports")
    formats = models.JSONField(default=list)
    """Names of `annotation.exporting.FORMATS`."""
    labels = models.CharField(max_length=20)
    """A key of `annotation.results.labels.RESOLUTIONS`."""
    dev = models.FloatField(null=True)
    """The share of questions in the part `dev`; None where nothing is split."""
    salt = models.CharField(max_length=100, blank=True)
    licence = models.CharField(max_length=200, blank=True)
    """As the person entered it."""
    language = models.CharField(max_length=100, blank=True)
    """Codes of the languages of the texts, as entered."""
    state = models.CharField(max_length=20, choices=State, default=State.QUEUED)
    items_done = models.PositiveIntegerField(default=0)
    items_total = models.PositiveIntegerField(default=0)
    """Of all formats together."""
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)

    objects = ExportJobQuerySet.as_manager()

    def __str__(self) -> str:
        return f"export {self.pk} of {self.campaign} ({self.get_state_display()})"

    def get_absolute_url(self) -> str:
        return reverse("annotation:download-export", args=[self.pk])

    @property
    def kept_until(self) -> datetime | None:
        return self.finished_at and self.finished_at + timedelta(days=KEPT_DAYS)

    @property
    def path(self) -> Path:
        """Where the package lies once it is whole."""
        return Path(settings.EXPORT_DIR) / f"{self.pk}.zip"

    @property
    def file_name(self) -> str:
        return f"{self.campaign.slug}-{self.pk}.zip"
