"""Figures that a worker has counted, as all pages show them."""

from django.db import models

from annotation.models.campaigns import Campaign
from pipeline.models.bases import LeasedJob


class KeptFigure(LeasedJob):
    """A figure that takes too long for a request, and the job that counts it (again).

    `annotation.results.kept_figures` says when that is. The last value stays while another one is
    counted.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "waiting for a worker"
        COUNTING = "counting", "being counted"
        DONE = "done", "counted"
        FAILED = "failed", "failed"

    OPEN = (State.QUEUED, State.COUNTING)

    key = models.CharField(max_length=64, unique=True)
    """A digest of what follows, as far as `code`: one row a figure."""
    name = models.CharField(max_length=60)
    """A key of `annotation.results.kept_figures.PLANS`."""
    arguments = models.JSONField(default=dict)
    code = models.CharField(max_length=16)
    """A digest of the program that counts and reads it: another one does neither."""
    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, null=True, related_name="kept_figures"
    )
    """None for figures of several."""
    state = models.CharField(max_length=20, choices=State, default=State.QUEUED)
    asked_at = models.DateTimeField()
    failure = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True)
    value = models.JSONField(null=True)
    """As `annotation.results.plain_values` makes it JSON."""
    work = models.CharField(max_length=64, blank=True)
    """A fingerprint of what the value was counted from."""
    counted_at = models.DateTimeField(null=True)
    """When the value was last the right one; None as long as there is none."""
    seconds = models.FloatField(default=0.0)
    """How long counting took."""

    def __str__(self) -> str:
        return f"{self.name} {self.arguments} ({self.get_state_display()})"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN
