from django.conf import settings
from django.db import models

from annotation.models.campaigns import Campaign


class ConsentText(models.Model):
    """A version of a campaign's consent text, never changed; raters are asked for the newest.

    An empty text asks for nothing.
    """

    class Withdrawal(models.TextChoices):
        DELETE = "delete", "everything that they judged is deleted"
        KEEP = "keep", "what they submitted is kept under its pseudonym"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    """Markdown."""
    withdrawal = models.CharField(max_length=10, choices=Withdrawal, default=Withdrawal.DELETE)
    """What happens to the work after withdrawal."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign", "version"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "version"], name="annotation_consent_version_once"
            )
        ]

    def __str__(self) -> str:
        return f"consent {self.version} of {self.campaign}"


class ConsentAnswer(models.Model):
    """A rater's answer to one version; append-only, the last one counts."""

    class Answer(models.TextChoices):
        AGREED = "agreed", "agreed"
        DECLINED = "declined", "did not agree"
        WITHDRAWN = "withdrawn", "took the consent back"

    text = models.ForeignKey(ConsentText, on_delete=models.CASCADE, related_name="answers")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="consent_answers"
    )
    answer = models.CharField(max_length=10, choices=Answer)
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["text", "rater"], name="annotation_consent_of_rater")]

    def __str__(self) -> str:
        return f"{self.rater} {self.get_answer_display()}: {self.text}"
