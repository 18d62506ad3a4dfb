"""Instructions for raters, and raters' questions."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from annotation.models.campaigns import Campaign, Membership
from annotation.models.items import Item
from rarrweb.accounts.models import User


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


class RaterQuestionQuerySet(models.QuerySet["RaterQuestion"]):
    def visible_to(self, user: User) -> Self:
        """A researcher sees every question, a rater of the campaign only theirs."""
        if user.is_researcher:
            return self.all()
        judges = Membership.objects.filter(
            campaign=OuterRef("campaign"), user_id=user.pk, role=Membership.Role.ANNOTATOR
        )
        return self.filter(Exists(judges), rater_id=user.pk)

    def waiting(self) -> Self:
        """Without an answer."""
        return self.filter(answers=None)

    def with_news(self) -> Self:
        """Annotate `is_new`: whether its rater has an unread answer."""
        new = RaterAnswer.objects.filter(question=OuterRef("pk"), pk__gt=OuterRef("read_through"))
        return self.annotate(is_new=Exists(new))


class RaterQuestion(models.Model):
    """A rater's question about an item, secret to other raters."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="rater_questions")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="rater_questions")
    sentence = models.PositiveIntegerField(null=True)
    """From 0; None for the whole item."""
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="rater_questions"
    )
    created_at = models.DateTimeField()
    text = models.TextField()
    read_through = models.BigIntegerField(default=0)
    """The id of the last answer that the rater has read."""

    is_new: bool
    """Set by `with_news`."""

    objects = RaterQuestionQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["rater", "created_at"], name="annotation_question_pace")]

    def __str__(self) -> str:
        return f"question {self.pk} about {self.item}"

    def get_absolute_url(self) -> str:
        return reverse("annotation:question", args=[self.pk])

    @property
    def sentence_text(self) -> str:
        """Return the sentence in question; empty for the whole item."""
        if self.sentence is None or self.sentence >= len(self.item.sentences):
            return ""
        offsets = self.item.sentences[self.sentence]
        return str(self.item.text[offsets["start"] : offsets["end"]])


class RaterAnswer(models.Model):
    question = models.ForeignKey(RaterQuestion, on_delete=models.CASCADE, related_name="answers")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    text = models.TextField()
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"answer {self.pk} to {self.question}"
