"""What people work on and what they say."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from pipeline.models import Revision, Run
from rarrweb.accounts.models import ExpiringLink, User


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: User) -> Self:
        """A researcher sees every campaign; anyone else only those they are a member of."""
        if user.is_researcher:
            return self.all()
        return self.filter(
            Exists(Membership.objects.filter(campaign=OuterRef("pk"), user_id=user.pk))
        )

    def led_by(self, user: User) -> Self:
        """The campaigns whose results and settings the user may see."""
        return self.all() if user.is_researcher else self.none()


class Campaign(models.Model):
    """Items shown to raters under one questionnaire."""

    class State(models.TextChoices):
        OPEN = "open", "open"
        CLOSED = "closed", "closed"

    class Side(models.TextChoices):
        BOTH = "both", "before and after"
        BEFORE = "before", "before: the original passages"
        AFTER = "after", "after: the revisions"
        PAIR = "pair", "both together, side by side"

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    questionnaire = models.CharField(max_length=50, default="attribution")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="campaigns")
    sides = models.CharField(max_length=10, choices=Side, default=Side.AFTER)
    raters_per_item = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    item_count = models.PositiveIntegerField(default=0)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(raters_per_item__gte=1), name="annotation_campaign_has_raters"
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("annotation:campaign", args=[self.slug])


class Membership(models.Model):
    """That a person judges, or adjudicates, in a campaign."""

    class Role(models.TextChoices):
        ANNOTATOR = "annotator", "annotator"
        ADJUDICATOR = "adjudicator", "adjudicator"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=20, choices=Role, default=Role.ANNOTATOR)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "user", "role"], name="annotation_membership_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role} of {self.campaign}"


class CampaignInvitation(ExpiringLink):
    """Makes a person, new or known, a member of a campaign."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(
        max_length=20, choices=Membership.Role, default=Membership.Role.ANNOTATOR
    )

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.campaign}"


class Item(models.Model):
    """One thing to judge: a passage, before or after its revision, with its evidence, or both
    of them as a pair.

    Everything a rater sees is frozen here when the campaign starts, so a judgment never
    speaks of a text that has changed since.
    """

    class Side(models.TextChoices):
        BEFORE = "before", "before"
        AFTER = "after", "after"
        PAIR = "pair", "pair"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="items")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="items")
    side = models.CharField(max_length=10, choices=Side)
    position = models.PositiveIntegerField()
    context = models.TextField(blank=True)
    text = models.TextField()
    """The passage; of a pair, passage A."""
    sentences = models.JSONField()
    """`[{"start": int, "end": int}, …]`: offsets into `text` of what is judged one by one."""
    evidence = models.JSONField()
    """`[{"title": str, "url": str, "text": str}, …]`: the attribution report, or the sources that
    an imported answer came with, each then with the `number` that the text cites it by."""
    citations = models.JSONField(default=list)
    """`[{"sentence": int, "evidence": int}, …]`: which sentence cites which piece of evidence,
    counted from 0, in the order of the text. Empty where the questionnaire does not ask."""
    second_text = models.TextField(blank=True)
    """Of a pair, passage B."""
    second_sentences = models.JSONField(default=list)
    """As `sentences`, of `second_text`."""
    first_side = models.CharField(max_length=10, blank=True)
    """Of a pair, which side stands as passage A, `before` or `after`: drawn for each item,
    recorded here, and never told to a rater."""

    class Meta:
        ordering = ["campaign", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "revision", "side"], name="annotation_item_once"
            ),
            models.UniqueConstraint(
                fields=["campaign", "position"], name="annotation_item_position"
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.position} of {self.campaign}"


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
    updated_at = models.DateTimeField()

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
