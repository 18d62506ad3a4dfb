from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from annotation.models.campaigns import Campaign, Membership
from annotation.models.items import Item
from rarrweb.accounts.models import User


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def visible_to(self, user: User) -> Self:
        """The user's assignments in campaigns in which they judge."""
        return self.filter(
            Exists(
                Membership.objects.filter(
                    campaign=OuterRef("campaign"),
                    user_id=user.pk,
                    role=Membership.Role.ANNOTATOR,
                )
            ),
            rater_id=user.pk,
        )

    def with_instruction(self) -> Self:
        """Annotate `is_uninstructed`: whether the rater has not read the instructions."""
        unread = Membership.objects.filter(
            campaign=OuterRef("campaign"),
            user=OuterRef("rater"),
            role=Membership.Role.ANNOTATOR,
            has_read_instructions=False,
        )
        return self.annotate(is_uninstructed=Exists(unread))

    def submitted(self) -> Self:
        return self.exclude(submitted_at=None)

    def in_progress(self) -> Self:
        """Begun; neither submitted, nor skipped, nor released."""
        return self.filter(submitted_at=None, skipped_at=None, released_at=None)


class Assignment(models.Model):
    """One rater's lease on one item.

    `slot` is 1..n for n raters, unique in the database. An expired lease gives its slot to the next
    rater; later work is saved without a slot and marked late. A skipped or released assignment has
    no slot either, until it is sent back.
    """

    class SkipReason(models.TextChoices):
        LANGUAGE = "language", "It is in a language that I do not read well"
        UPSETTING = "upsetting", "I would rather not read this"
        KNOWN = "known", "I know the text or who wrote it"
        OTHER = "other", "Something else"

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="assignments")
    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    """The item's campaign, for an index of a rater's assignments."""
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments"
    )
    slot = models.PositiveSmallIntegerField(null=True)
    claimed_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True)
    is_late = models.BooleanField(default=False)
    purpose = models.CharField(max_length=10, choices=Item.Use, blank=True)
    """Empty for work that counts; training and gold have no slot and are never late."""
    comment = models.TextField(blank=True)
    comment_sequence = models.BigIntegerField(default=0)
    """As `Judgment.sequence`."""
    edited_at = models.DateTimeField(null=True)
    """The rater's last change of submitted work."""

    skipped_at = models.DateTimeField(null=True)
    """Skipping frees the slot."""
    skip_reason = models.CharField(max_length=30, choices=SkipReason, blank=True)
    skip_note = models.TextField(blank=True)

    released_at = models.DateTimeField(null=True)
    """When a researcher freed the slot; later answers are late."""
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    returned_at = models.DateTimeField(null=True)
    """When a researcher sent it back; the rater gets it before any new item."""
    returned_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    return_note = models.TextField(blank=True)
    earlier_submitted_at = models.DateTimeField(null=True)
    """Restored if sending back is undone."""

    active_ms = models.PositiveBigIntegerField(default=0)
    """Time on the visible page with input in the last half minute."""
    idle_ms = models.PositiveBigIntegerField(default=0)
    """Other time on the page, hidden tabs included."""
    clicks = models.PositiveIntegerField(default=0)
    keys = models.PositiveIntegerField(default=0)
    visits = models.JSONField(default=dict)
    """Visit to `[active_ms, idle_ms, clicks, keys]`, the parts of the four totals above.

    A visit sends its totals so far, so sending twice counts once."""

    is_uninstructed: bool
    """Set by `with_instruction`."""

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["claimed_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "rater"], name="annotation_assignment_once_a_rater"
            ),
            models.UniqueConstraint(
                fields=["item", "slot"], name="annotation_assignment_once_a_slot"
            ),
            models.CheckConstraint(
                condition=Q(slot=None) | Q(slot__gte=1), name="annotation_assignment_slot_from_1"
            ),
            models.CheckConstraint(
                condition=Q(slot=None) | Q(skipped_at=None, released_at=None),
                name="annotation_assignment_given_up_holds_no_slot",
            ),
            models.CheckConstraint(
                condition=Q(slot=None) | Q(purpose=""),
                name="annotation_assignment_check_holds_no_slot",
            ),
        ]
        indexes = [
            models.Index(fields=["rater", "submitted_at"], name="annotation_rater_queue"),
            models.Index(
                fields=["campaign", "rater", "id", "purpose", "submitted_at"],
                name="annotation_rater_position",
            ),
        ]

    def __str__(self) -> str:
        return f"assignment {self.pk}: {self.rater} on {self.item}"

    def save(self, *args: Any, **options: Any) -> None:
        if self.campaign_id is None:
            self.campaign_id = self.item.campaign_id
        super().save(*args, **options)

    def get_absolute_url(self) -> str:
        return reverse("annotation:task", args=[self.pk])

    @property
    def active_seconds(self) -> float:
        return self.active_ms / 1000

    @property
    def is_held(self) -> bool:
        """Tell whether the rater holds the item, by a slot or for training or gold.

        Raters' pages use this: the slot would reveal gold items.
        """
        is_given_up = self.skipped_at is not None or self.released_at is not None
        return self.slot is not None or (bool(self.purpose) and not is_given_up)
