"""Data of workers."""

from django.db import models


class CachedAnswer(models.Model):
    """A cached answer of a model or a search; may be deleted at any time."""

    key = models.CharField(max_length=64, primary_key=True)
    value = models.TextField()
    """JSON as text: PostgreSQL's JSON refuses some characters that models write."""
    cached_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key


class Worker(models.Model):
    name = models.CharField(max_length=200, unique=True)
    started_at = models.DateTimeField()
    last_seen = models.DateTimeField()
    queues = models.JSONField(default=list)
    """Kinds of work that it takes: see `rarrweb.celery`."""

    def __str__(self) -> str:
        return self.name
