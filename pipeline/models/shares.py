"""Revisions that may be read without an account, by a secret link."""

from django.conf import settings
from django.db import models

from pipeline.models.runs import Revision


class SharedRevision(models.Model):
    """That whoever has the link may read a revision, for as long as this row stands.

    The token itself is kept, as a trial's is, so that the link can be shown again: whoever can
    read this table can read the revision too.
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
