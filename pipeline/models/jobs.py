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


class SimilarityJob(AskedJob):
    """BERTScore of one set of answers, by one encoder; another computation takes its place."""

    class State(models.TextChoices):
        QUEUED = "queued", "waiting for a worker"
        RUNNING = "running", "being computed"
        DONE = "done", "computed"
        FAILED = "failed", "failed"

    OPEN = (State.QUEUED, State.RUNNING)

    subject = models.CharField(max_length=60, unique=True)
    """Whose answers, as `pipeline.data.similarities.Subject` names them: `dataset 3`."""
    encoder = models.CharField(max_length=300)
    """As RARR_BERTSCORE named it."""
    versions = models.JSONField(default=dict)
    state = models.CharField(max_length=20, choices=State, default=State.QUEUED)
    answers_done = models.PositiveIntegerField(default=0)
    answers_total = models.PositiveIntegerField(default=0)
    scores = models.JSONField(default=dict)
    """By the digest of an answer with its quotes: F1 of each of its sentences that cites."""

    def __str__(self) -> str:
        return f"BERTScore of {self.subject} ({self.get_state_display()})"
