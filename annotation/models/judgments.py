"""Judgments and adjudications."""

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import F

from annotation.models.assignments import Assignment
from annotation.models.campaigns import Campaign
from annotation.models.items import Item

OTHER_ASSIGNMENTS = "assignment__item__assignments"
"""From a judgment."""


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def valid(self) -> Self:
        """Answers of submitted work with a slot: no drafts, nothing late or withdrawn."""
        return self.filter(
            assignment__submitted_at__isnull=False,
            assignment__slot__isnull=False,
            value__isnull=False,
        )

    def in_campaign(self, campaign: Campaign, *, phase: str = "") -> Self:
        """Those of one `phase` (`Item.Phase`); empty for all."""
        of_phase = {"assignment__item__phase": phase} if phase else {}
        return self.filter(**of_phase, assignment__item__campaign=campaign)

    def paired_with_other_raters(self, **conditions: Any) -> Self:
        """Join each judgment with every other valid answer about its target.

        `conditions` are lookups of the other answer, from `OTHER_ASSIGNMENTS`.
        """
        same = {
            "submitted_at__isnull": False,
            "slot__isnull": False,
            "judgments__criterion": F("criterion"),
            "judgments__target": F("target"),
            "judgments__value__isnull": False,
        }
        # One call, so that all conditions are about the same answer.
        return self.filter(
            **{f"{OTHER_ASSIGNMENTS}__{k}": v for k, v in {**same, **conditions}.items()}
        )


class Judgment(models.Model):
    """One answer to one criterion about one target of an assignment's item.

    The value is a level of the criterion (`annotation.questionnaires`): 0 or 1 for yes or no, 1 to
    5 on a scale, 1 for a text, None if withdrawn. Saving is absolute and idempotent: for each
    target, the operation with the greatest `sequence` wins.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="judgments")
    criterion = models.CharField(max_length=30)
    target = models.PositiveIntegerField()
    """Index of the sentence, snippet or citation, from 0; 0 for the whole item."""
    value = models.IntegerField(null=True)
    text = models.TextField(blank=True)
    sequence = models.BigIntegerField(default=0)
    guidelines_version = models.PositiveIntegerField(null=True)
    """The instructions on the rater's page; None if unknown."""
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


class AdjudicationQuerySet(models.QuerySet["Adjudication"]):
    def by_target(self) -> "dict[int, dict[tuple[str, int], Adjudication]]":
        """Return item to (criterion, target) to answer. One query."""
        by_item: dict[int, dict[tuple[str, int], Adjudication]] = {}
        for row in self:
            by_item.setdefault(row.item_id, {})[row.criterion, row.target] = row
        return by_item


class Adjudication(models.Model):
    """An adjudicator's answer to one criterion about one target.

    Results and exports use it in place of the majority; judgments stay.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="adjudications")
    criterion = models.CharField(max_length=30)
    target = models.PositiveIntegerField()
    """As `Judgment.target`."""
    value = models.IntegerField()
    """As `Judgment.value`."""
    reason = models.TextField()
    adjudicator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="adjudications"
    )
    """The last one; None if the account is gone."""
    updated_at = models.DateTimeField()

    objects = AdjudicationQuerySet.as_manager()

    class Meta:
        ordering = ["item", "criterion", "target"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "criterion", "target"], name="annotation_adjudication_once"
            )
        ]

    def __str__(self) -> str:
        return f"adjudicated: {self.criterion} {self.target} = {self.value}"


class AdjudicationOpening(models.Model):
    """An adjudicator has seen raters' answers to the item, so never gets it as a rater."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="openings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()
    """The first time."""

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "user"], name="annotation_adjudication_opening_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.item} opened by {self.user}"
