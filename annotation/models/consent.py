"""What a rater is asked to agree to before the first item, and what they answered."""

from django.conf import settings
from django.db import models

from annotation.models.campaigns import Campaign


class ConsentText(models.Model):
    """One version of a campaign's consent page. The newest is what raters are asked.

    A version never changes: another one follows it, so that what somebody agreed to can always be
    read again. An empty text says that nothing is asked from then on.
    """

    class Withdrawal(models.TextChoices):
        DELETE = "delete", "everything that they judged is deleted"
        KEEP = "keep", "what they handed in is kept under its pseudonym"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    """Markdown."""
    withdrawal = models.CharField(max_length=10, choices=Withdrawal, default=Withdrawal.DELETE)
    """What happens to a rater's work when they take their consent back."""
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
    """What a rater answered to one version, and when. Rows are only added; the last one counts."""

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
