"""Right answers, which train new raters and check raters at work.

An item's `use` makes it a training item or a gold item; its right answers are kept here.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from annotation.models.campaigns import Campaign
from annotation.models.items import Item

PERCENT = [MinValueValidator(1), MaxValueValidator(100)]


class CheckSettings(models.Model):
    """How a campaign trains its raters, and how it checks them."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="checks")
    pass_percent = models.PositiveSmallIntegerField(default=80, validators=PERCENT)
    """The share of right answers, over all training items, that a rater needs to pass."""
    attempts = models.PositiveSmallIntegerField(default=3, validators=[MinValueValidator(1)])
    gold_every = models.PositiveSmallIntegerField(default=10, validators=[MinValueValidator(2)])
    """One of every `gold_every` items that a rater gets is a gold item."""
    pause_percent = models.PositiveSmallIntegerField(null=True, validators=PERCENT)
    """A rater below this share of right answers is paused; None pauses nobody."""
    pause_targets = models.PositiveSmallIntegerField(default=20, validators=[MinValueValidator(1)])
    """The number of latest gold targets over which that share is taken."""

    def __str__(self) -> str:
        return f"training and gold of {self.campaign}"


class ReferenceAnswer(models.Model):
    """The right answer to one criterion about one target of a training or a gold item."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="reference_answers")
    criterion = models.CharField(max_length=30)
    target = models.PositiveIntegerField()
    """As `Judgment.target`."""
    value = models.IntegerField()
    """As `Judgment.value`: one of the criterion's levels."""
    why = models.TextField(blank=True)
    """A word of explanation, which raters in training read; for gold items nobody does."""
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["item", "criterion", "target"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "criterion", "target"], name="annotation_reference_answer_once"
            )
        ]

    def __str__(self) -> str:
        return f"right: {self.criterion} {self.target} = {self.value}"


class TrainingAttempt(models.Model):
    """One rater's try at all of a campaign's training items."""

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="training_attempts"
    )
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="training_attempts"
    )
    number = models.PositiveSmallIntegerField()
    """From 1."""
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    """When the last training item was handed in; the next three fields are known from then on."""
    right = models.PositiveIntegerField(default=0)
    judged = models.PositiveIntegerField(default=0)
    """Targets with a right answer; a target that the rater left open counts as wrong."""
    has_passed = models.BooleanField(default=False)
    answers = models.JSONField(default=list)
    """`[{"item", "criterion", "target", "said", "right"}, …]` as it was finished: kept because the
    next try begins with empty pages."""
    waived_at = models.DateTimeField(null=True)
    """When a researcher let the rater go on all the same."""
    waived_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["campaign", "rater", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "rater", "number"], name="annotation_training_attempt_once"
            )
        ]

    def __str__(self) -> str:
        return f"try {self.number} of {self.rater} in {self.campaign}"


class Pause(models.Model):
    """A rater's pause: no further items of a campaign until a researcher lets them go on."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="pauses")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="pauses"
    )
    since = models.DateTimeField()
    right = models.PositiveIntegerField()
    judged = models.PositiveIntegerField()
    """How many of the last gold targets were right when the pause began, and of how many."""
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["campaign", "rater", "since"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "rater"],
                condition=Q(ended_at=None),
                name="annotation_pause_one_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"{self.rater} paused in {self.campaign}"
