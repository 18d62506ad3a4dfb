"""Files on their way into datasets and corpora."""

from typing import Self

from django.conf import settings
from django.db import models
from django.urls import reverse

from pipeline.models.bases import LabQuerySet, LeasedJob
from pipeline.models.data import Corpus, Dataset


class UploadQuerySet(LabQuerySet["Upload"]):
    def open(self, kind: "Upload.Kind") -> Self:
        """Of that kind, and not at their end."""
        return self.filter(kind=kind).exclude(state=Upload.State.DONE)


class Upload(LeasedJob):
    """A file that somebody gave, on its way into a dataset or a corpus.

    It is checked, then a person says yes, then it is imported. Checking and importing are jobs
    of a worker (`pipeline.data.upload_jobs`), claimed under a lease; a small file is done at once.
    The file itself, its checked rows and its errors lie under `settings.UPLOAD_DIR`.
    """

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
    """What the dataset or corpus will be called that the import makes."""
    description = models.TextField(blank=True)
    format = models.CharField(max_length=20, default="auto")
    """Of passages; "auto" until the check has found it out."""
    columns = models.JSONField(default=list, blank=True)
    """The names of the file's columns or keys, if somebody can say which holds what."""
    mapping = models.JSONField(default=dict, blank=True)
    """For each field of a row the column that holds it, or "" for none."""
    file_name = models.CharField(max_length=255)
    """As the person's machine called it; never used as a path."""
    stored_name = models.CharField(max_length=100, unique=True)
    size = models.BigIntegerField(default=0)
    state = models.CharField(max_length=20, choices=State, default=State.CHECKING)
    rows_done = models.PositiveIntegerField(default=0)
    """How far the check, or the import, has come."""
    new_count = models.PositiveIntegerField(default=0)
    same_count = models.PositiveIntegerField(default=0)
    changed_count = models.PositiveIntegerField(default=0)
    error_count = models.PositiveIntegerField(default=0)
    errors = models.JSONField(default=list, blank=True)
    """The first errors, as `pipeline.data.staging.error_to_plain` writes them."""
    failure = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = UploadQuerySet.as_manager()

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
        """How many rows the check has set aside."""
        return self.new_count + self.same_count + self.changed_count

    @property
    def import_count(self) -> int:
        """How many rows an import would write."""
        return self.new_count + self.changed_count
