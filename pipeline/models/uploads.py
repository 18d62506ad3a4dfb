"""Uploaded files for datasets and corpora."""

from django.conf import settings
from django.db import models
from django.urls import reverse

from pipeline.models.bases import LabQuerySet, LeasedJob
from pipeline.models.data import Corpus, Dataset


class Upload(LeasedJob):
    """A file in `settings.UPLOAD_DIR`, to be checked, confirmed and imported."""

    class Kind(models.TextChoices):
        PASSAGES = "passages", "passages"
        DOCUMENTS = "documents", "documents"

    class State(models.TextChoices):
        CHECKING = "checking", "being checked"
        CHECKED = "checked", "checked"
        IMPORTING = "importing", "being imported"
        DONE = "done", "imported"
        FAILED = "failed", "failed"

    kind = models.CharField(max_length=20, choices=Kind)
    dataset = models.ForeignKey(
        Dataset, on_delete=models.CASCADE, null=True, related_name="uploads"
    )
    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, null=True, related_name="uploads")
    name = models.CharField(max_length=200, blank=True)
    """Of the new dataset or corpus."""
    description = models.TextField(blank=True)
    format = models.CharField(max_length=20, default="auto")
    """Of passages; "auto" until the check has detected it."""
    reading = models.JSONField(default=dict, blank=True)
    """Encoding, delimiter and header, as detected or chosen; whether rows are updated."""
    columns = models.JSONField(default=list, blank=True)
    """Columns or keys: fields of `importing.columns.Column`."""
    mapping = models.JSONField(default=dict, blank=True)
    """What each column becomes, by name."""
    file_name = models.CharField(max_length=255)
    """On the user's machine; never used as a path."""
    stored_name = models.CharField(max_length=100, unique=True)
    size = models.BigIntegerField(default=0)
    state = models.CharField(max_length=20, choices=State, default=State.CHECKING)
    rows_done = models.PositiveIntegerField(default=0)
    """Progress of the check or the import."""
    new_count = models.PositiveIntegerField(default=0)
    same_count = models.PositiveIntegerField(default=0)
    changed_count = models.PositiveIntegerField(default=0)
    error_count = models.PositiveIntegerField(default=0)
    repeated_count = models.PositiveIntegerField(default=0)
    """Rows that equal an earlier one of the file."""
    errors = models.JSONField(default=list, blank=True)
    """First errors: fields of `RowError`, and `sentence`."""
    failure = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = LabQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.file_name} ({self.get_state_display()})"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:upload", args=[self.pk])

    @property
    def is_working(self) -> bool:
        return self.state in {self.State.CHECKING, self.State.IMPORTING}

    @property
    def valid_count(self) -> int:
        """Rows that the check has staged."""
        return self.new_count + self.same_count + self.changed_count

    @property
    def import_count(self) -> int:
        return self.new_count + self.changed_count


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
