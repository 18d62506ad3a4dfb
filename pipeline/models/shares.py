"""Revisions that may be read without an account, by a secret link."""

from django.conf import settings
from django.db import models

from pipeline.models.runs import Revision


class SharedRevision(models.Model):
    """A link by which everybody can read a revision, until the row is deleted.

    The token itself is stored, so that the link can be shown again: users who can read this table
    can read the revision too.
    """

    revision = models.OneToOneField(Revision, on_delete=models.CASCADE, related_name="share")
    token = models.CharField(max_length=64, unique=True)
    shows_raters = models.BooleanField(default=False)
    """Whether readers see what raters said of each sentence, as counts."""
    shared_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    """Who answers for it: the link works while they are a researcher."""
    shared_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"Link to {self.revision}"
