"""How alike answers and their quotes are: computed by a worker, for it takes minutes to hours."""

from django.db import models

from pipeline.models.bases import AskedJob


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
