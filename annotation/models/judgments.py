"""Raters' judgments, and the answers that were settled where they differ."""

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import F

from annotation.models.assignments import Assignment
from annotation.models.campaigns import Campaign
from annotation.models.items import Item

OTHER_ASSIGNMENTS = "assignment__item__assignments"
"""From a judgment to all the assignments of its item."""


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def valid(self) -> Self:
        """Answers of submitted work that holds a slot: no drafts, nothing late, nothing taken
        back."""
        return self.filter(
            assignment__submitted_at__isnull=False,
            assignment__slot__isnull=False,
            value__isnull=False,
        )

    def in_campaign(self, campaign: Campaign, *, phase: str = "") -> Self:
        """Those of one `phase` (`Item.Phase`), or of all phases if it is empty."""
        of_phase = {"assignment__item__phase": phase} if phase else {}
        return self.filter(**of_phase, assignment__item__campaign=campaign)

    def paired_with_other_raters(self, **conditions: Any) -> Self:
        """Each judgment once for every other answer about the same target that counts and meets
        `conditions`, whose lookups start at the other's assignment, `OTHER_ASSIGNMENTS`."""
        same = {
            "submitted_at__isnull": False,
            "slot__isnull": False,
            "judgments__criterion": F("criterion"),
            "judgments__target": F("target"),
            "judgments__value__isnull": False,
        }
        # In one call, so that all conditions are about the same other answer.
        return self.filter(
            **{f"{OTHER_ASSIGNMENTS}__{k}": v for k, v in {**same, **conditions}.items()}
        )


class Judgment(models.Model):
    """One answer to one criterion about one target of an assignment's item.

    The value is one of the criterion's levels (`annotation.questionnaires`): 0 and 1 where the
    question is yes or no, 1 to 5 on a scale of agreement, 1 beside a text. A row without a
    value is an answer that the rater took back. Saving is absolute and idempotent: for each
    target of an assignment, the operation with the greatest `sequence` wins.
    """

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
    """The version of the instructions on the rater's page when they answered; None if unknown."""
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
        """Item to (criterion, target) to its settled answer. One query."""
        found: dict[int, dict[tuple[str, int], Adjudication]] = {}
        for row in self:
            found.setdefault(row.item_id, {})[row.criterion, row.target] = row
        return found


class Adjudication(models.Model):
    """The settled answer to one criterion about one target, where an item's raters differ.

    It never replaces the raters' judgments: results and exports use it in place of the majority,
    and say so.
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
    """Who settled it last; None if the account is gone."""
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
        return f"settled: {self.criterion} {self.target} = {self.value}"


class AdjudicationOpening(models.Model):
    """That a person has opened an item to adjudicate it, and so has seen the raters' answers.

    From then on they are never given the item as a rater.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="openings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()
    """When they opened it first."""

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "user"], name="annotation_adjudication_opening_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.item} opened by {self.user}"
