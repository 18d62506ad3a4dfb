"""What somebody asks workers to compute, for it takes minutes to hours."""

from django.db import models

from pipeline.models.bases import AskedJob
from pipeline.models.runs import Run


class ScoringJob(AskedJob):
    """Auto-AIS, and ALCE's figures of answers, of one run; scoring again takes its place."""

    class State(models.TextChoices):
        QUEUED = "queued", "waiting for a worker"
        RUNNING = "running", "being scored"
        DONE = "done", "scored"
        FAILED = "failed", "failed"

    OPEN = (State.QUEUED, State.RUNNING)

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="scoring")
    state = models.CharField(max_length=20, choices=State, default=State.QUEUED)
    passages_done = models.PositiveIntegerField(default=0)
    left_out = models.JSONField(default=list)
    """A sentence for each passage that could not be scored."""

    def __str__(self) -> str:
        return f"scoring of run {self.run_id} ({self.get_state_display()})"
