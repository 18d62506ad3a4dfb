"""Who judges what, and until when."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from annotation.models.campaigns import Membership
from annotation.models.items import Item
from rarrweb.accounts.models import User


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def visible_to(self, user: User) -> Self:
        """A rater's own, in campaigns they are still an annotator of. Never another's."""
        return self.filter(
            Exists(
                Membership.objects.filter(
                    campaign=OuterRef("item__campaign"),
                    user_id=user.pk,
                    role=Membership.Role.ANNOTATOR,
                )
            ),
            rater_id=user.pk,
        )

    def submitted(self) -> Self:
        return self.exclude(submitted_at=None)


class Assignment(models.Model):
    """One rater's lease on one item.

    `slot` 1..n is the place among the campaign's n raters an item; that it is unique in the
    database is what makes n raters mean n. An expired lease gives its slot up to the next
    rater; work that comes in after that is kept, without a slot, and marked late.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="assignments")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments"
    )
    slot = models.PositiveSmallIntegerField(null=True)
    claimed_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True)
    is_late = models.BooleanField(default=False)
    comment = models.TextField(blank=True)
    comment_sequence = models.BigIntegerField(default=0)
    """As `Judgment.sequence`: a comment replayed after an outage never undoes a later one."""

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
        ]
        indexes = [models.Index(fields=["rater", "submitted_at"], name="annotation_own_queue")]

    def __str__(self) -> str:
        return f"assignment {self.pk}: {self.rater} on {self.item}"

    def get_absolute_url(self) -> str:
        return reverse("annotation:task", args=[self.pk])
