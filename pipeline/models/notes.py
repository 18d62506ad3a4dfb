"""What researchers write about single passages: notes and tags."""

from typing import Self

from django.conf import settings
from django.db import models

from pipeline.models.bases import LabQuerySet
from pipeline.models.data import Passage
from rarrweb.accounts.models import User


class PassageNoteQuerySet(LabQuerySet["PassageNote"]):
    def written_by(self, user: User) -> Self:
        """Those that the user may change."""
        return self.visible_to(user).filter(author=user)


class PassageNote(models.Model):
    """What one researcher noted about a passage; every researcher may read it."""

    passage = models.ForeignKey(Passage, on_delete=models.CASCADE, related_name="notes")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(null=True)
    """None if it stands as it was written."""

    objects = PassageNoteQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"Note {self.pk}: {self.text[:60]}"


class PassageTag(models.Model):
    """A word that a passage can be found by; see `data.notes.read_tags` for how it is written."""

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
