"""Datasets, passages, corpora and documents."""

from typing import TYPE_CHECKING, Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower, Now
from django.urls import reverse

from pipeline.importing.passage import PassageSource
from pipeline.models.bases import Archivable, LabQuerySet, LeasedJob
from rarrweb.accounts.models import User


class Collection(Archivable):
    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LabQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(Lower("name"), "id", name="%(app_label)s_%(class)s_by_name"),
            models.Index(fields=["created_at", "id"], name="%(app_label)s_%(class)s_by_date"),
        ]

    def __str__(self) -> str:
        return self.name


class DatasetQuerySet(LabQuerySet["Dataset"]):
    def visible_to(self, user: User) -> Self:
        return super().visible_to(user).filter(trial_owner=None)


class Dataset(Collection):
    trial_owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+"
    )
    """The user of a trial with this single passage; see `pipeline.trials`."""
    passage_count = models.PositiveIntegerField(default=0)
    is_complete = models.BooleanField(default=True)
    """False during the import of a large file, and after it broke off."""

    objects = DatasetQuerySet.as_manager()  # type: ignore[misc]

    def get_absolute_url(self) -> str:
        return reverse("pipeline:dataset", args=[self.slug])


if TYPE_CHECKING:
    TypedTextField = models.TextField[PassageSource | str, PassageSource]
else:
    TypedTextField = models.TextField


class PassageSourceField(TypedTextField):
    """JSON as text, since `jsonb` does not keep the order of keys."""

    def from_db_value(self, value: str, *connection: Any) -> PassageSource:
        return PassageSource.from_json(value)

    def get_prep_value(self, value: PassageSource | str) -> str:
        return value if isinstance(value, str) else value.to_json()


class Passage(models.Model):
    """x: a language model's text, with its context."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="passages")
    external_id = models.CharField(max_length=200)
    text = models.TextField(blank=True)
    context = models.TextField(blank=True)
    format = models.CharField(max_length=20)
    """An `importing.passage.Format`."""
    source = PassageSourceField(default=PassageSource)
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "external_id"], name="pipeline_passage_once_a_dataset"
            )
        ]

    def __str__(self) -> str:
        return f"{self.external_id}: {self.text[:60]}"


class PassageNote(models.Model):
    """A researcher's note, visible to every researcher."""

    passage = models.ForeignKey(Passage, on_delete=models.CASCADE, related_name="notes")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(null=True)
    """None if never edited."""

    objects = LabQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"Note {self.pk}: {self.text[:60]}"


class PassageTag(models.Model):
    """A tag, normalized by `data.notes.read_tags`."""

    passage = models.ForeignKey(Passage, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(max_length=50)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["passage", "name"], name="pipeline_tag_once_a_passage")
        ]

    def __str__(self) -> str:
        return self.name


class Corpus(Collection, LeasedJob):
    """Documents to search; the index can be rebuilt from them."""

    class State(models.TextChoices):
        EMPTY = "empty", "empty"
        QUEUED = "queued", "waiting to be indexed"
        INDEXING = "indexing", "being indexed"
        READY = "ready", "ready"
        FAILED = "failed", "failed"

    state = models.CharField(max_length=20, choices=State, default=State.EMPTY)
    document_count = models.PositiveIntegerField(default=0)
    indexed_count = models.PositiveIntegerField(default=0)
    indexed_in = models.CharField(max_length=200, blank=True, editable=False)
    """The OpenSearch index of `Document.is_indexed`; "" for the disk's."""
    error = models.TextField(blank=True)

    class Meta(Collection.Meta):
        verbose_name_plural = "corpora"

    def get_absolute_url(self) -> str:
        return reverse("pipeline:corpus", args=[self.slug])


class Document(models.Model):
    """A page. Lines with `#` to `######` and a space are headings."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="documents")
    external_id = models.CharField(max_length=500)
    title = models.CharField(max_length=1000, blank=True)
    url = models.CharField(max_length=2000, blank=True)
    text = models.TextField()
    content_hash = models.CharField(max_length=64)
    is_indexed = models.BooleanField(default=False)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["corpus", "external_id"], name="pipeline_document_once_a_corpus"
            )
        ]
        indexes = [
            models.Index(
                fields=["corpus", "id"],
                name="pipeline_doc_to_index",
                condition=Q(is_indexed=False),
            )
        ]

    def __str__(self) -> str:
        return self.title or self.external_id
