"""Reference answers, which train and check raters.

`Item.use` says what for.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from annotation.models.campaigns import Campaign
from annotation.models.items import Item

PERCENT = [MinValueValidator(1), MaxValueValidator(100)]


class CheckSettings(models.Model):
    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="checks")
    pass_percent = models.PositiveSmallIntegerField(default=80, validators=PERCENT)
    """Share of right answers over all training items, to pass."""
    attempts = models.PositiveSmallIntegerField(default=3, validators=[MinValueValidator(1)])
    gold_every = models.PositiveSmallIntegerField(default=10, validators=[MinValueValidator(2)])
    """One of so many of a rater's items is gold."""
    pause_percent = models.PositiveSmallIntegerField(null=True, validators=PERCENT)
    """A rater below this share is paused; None: nobody."""
    pause_targets = models.PositiveSmallIntegerField(default=20, validators=[MinValueValidator(1)])
    """The latest gold targets of that share."""

    def __str__(self) -> str:
        return f"training and gold of {self.campaign}"


class ReferenceAnswer(models.Model):
    """The right answer to one criterion about one target."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="reference_answers")
    criterion = models.CharField(max_length=30)
    target = models.PositiveIntegerField()
    """As `Judgment.target`."""
    value = models.IntegerField()
    """As `Judgment.value`."""
    why = models.TextField(blank=True)
    """Displayed in training, not for gold items."""
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
    """The next three fields are set at the same time."""
    right = models.PositiveIntegerField(default=0)
    judged = models.PositiveIntegerField(default=0)
    """Targets with a reference answer; open ones count as wrong."""
    has_passed = models.BooleanField(default=False)
    answers = models.JSONField(default=list)
    """`[{"item", "criterion", "target", "answer", "right"}, …]`; another attempt clears pages."""
    waived_at = models.DateTimeField(null=True)
    """When a researcher gave real items all the same."""
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
    """A rater gets no items of a campaign until a researcher ends this."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="pauses")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="pauses"
    )
    since = models.DateTimeField()
    right = models.PositiveIntegerField()
    judged = models.PositiveIntegerField()
    """`right` of so many latest gold targets at the start."""
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
