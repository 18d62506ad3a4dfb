from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.campaigns import Campaign


class GuidelinesVersion(models.Model):
    """A version of a campaign's instructions, never changed.

    Version 1 is the questionnaire's text when the campaign started.
    """

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="guidelines_versions"
    )
    number = models.PositiveIntegerField()
    text = models.TextField()
    """Markdown."""
    note = models.CharField(max_length=500, blank=True)
    """What changed, for raters; empty in version 1."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["campaign", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "number"], name="annotation_guidelines_number"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="annotation_guidelines_from_1"),
        ]

    def __str__(self) -> str:
        return f"guidelines {self.number} of {self.campaign}"
