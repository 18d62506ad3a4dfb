"""What people say: their judgments, and what was settled where they differ."""

from collections.abc import Iterable
from typing import Self

from django.conf import settings
from django.db import models

from annotation.models.assignments import Assignment
from annotation.models.items import Item


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def that_count(self, item: Item, criteria: Iterable[str]) -> Self:
        """Answers to `criteria` in submitted work that holds one of the item's slots."""
        return self.filter(
            assignment__item=item,
            assignment__submitted_at__isnull=False,
            assignment__slot__isnull=False,
            criterion__in=list(criteria),
            value__isnull=False,
        )


class Judgment(models.Model):
    """One answer to one criterion about one target of an assignment's item.

    The value is one of the criterion's levels (`annotation.questionnaires`): 0 and 1 where the
    question is yes or no, 1 to 5 on a scale of agreement, 1 beside a text. A row without a
    value says that the rater took the answer back. Saving is absolute and idempotent: the
    operation with the greatest `sequence` of an assignment's target holds.
    """

    class Criterion(models.TextChoices):
        ATTRIBUTABLE = "attributable", "attributable"  # target: a sentence
        USEFUL = "useful", "useful"  # target: a piece of evidence

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="judgments")
    criterion = models.CharField(max_length=30)
    target = models.PositiveIntegerField()
    """Index of the sentence, the evidence or the citation in the item, from 0; 0 where the
    question is about the whole item."""
    value = models.IntegerField(null=True)
    text = models.TextField(blank=True)
    """What the rater wrote, where the criterion asks for a text."""
    sequence = models.BigIntegerField(default=0)
    guidelines_version = models.PositiveIntegerField(null=True)
    """The number of the campaign's instructions that the rater had read when they said so; None
    where that is not known: from before there were versions."""
    updated_at = models.DateTimeField()

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        ordering = ["assignment", "criterion", "target"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "criterion", "target"], name="annotation_judgment_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.criterion} {self.target} = {self.value}"


class Adjudication(models.Model):
    """The settled answer to one criterion about one target, where an item's raters differ.

    It stands beside what raters said and never in its place: results and exports take it
    instead of the majority, and say so.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="adjudications")
    criterion = models.CharField(max_length=30)
    target = models.PositiveIntegerField()
    """As `Judgment.target`."""
    value = models.IntegerField()
    """As `Judgment.value`: one of the criterion's levels."""
    reason = models.TextField()
    adjudicator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="adjudications"
    )
    """Who settled it last; None where the account is gone."""
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["item", "criterion", "target"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "criterion", "target"], name="annotation_adjudication_once"
            )
        ]

    def __str__(self) -> str:
        return f"settled: {self.criterion} {self.target} = {self.value}"
