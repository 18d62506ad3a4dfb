"""What workers keep: answers that need not be asked again, and their signs of life."""

from django.db import models


class KeptAnswer(models.Model):
    """What a model or a search answered, by a key of all that decides it: asked once for all.

    See `pipeline.runs.answer_cache`. May be emptied at any time; then it is asked again.
    """

    key = models.CharField(max_length=64, primary_key=True)
    value = models.TextField()
    """JSON. As text, because PostgreSQL's JSON refuses some characters that models write."""
    kept_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key


class Worker(models.Model):
    """A sign of life of one worker process, so that a page can say that none is alive."""

    name = models.CharField(max_length=200, unique=True)
    started_at = models.DateTimeField()
    last_seen = models.DateTimeField()
    queues = models.JSONField(default=list)
    """Names of the kinds of work that it takes: see `rarrweb.celery`."""

    def __str__(self) -> str:
        return self.name
