from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Lower
from django.urls import reverse

from pipeline.generation.answer_format import PROBLEMS
from pipeline.models import Archivable, Run
from rarrweb.accounts.models import User


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: User) -> Self:
        """A researcher sees every campaign, others those that have begun and that they are in."""
        if user.is_researcher:
            return self.all()
        return self.filter(
            ~Q(state=Campaign.State.DRAFT),
            Exists(Membership.objects.filter(campaign=OuterRef("pk"), user_id=user.pk)),
        )

    def with_overlap(self) -> Self:
        """Campaigns in which an item can get several raters."""
        return self.filter(
            Q(raters_per_item__gt=1) | Q(max_raters__gt=1) | Q(pilot_size__gt=0, pilot_raters__gt=1)
        )

    def led_by(self, user: User) -> Self:
        """Campaigns whose results and settings the user may see."""
        return self.all() if user.is_researcher else self.none()

    def current(self) -> Self:
        """Not archived."""
        return self.filter(archived_at=None)


class Campaign(Archivable):
    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        PILOT = "pilot", "pilot"
        PRODUCTION = "production", "production"
        CLOSED = "closed", "closed"

    OPEN = (State.PILOT, State.PRODUCTION)
    """States in which raters judge."""

    class Side(models.TextChoices):
        BOTH = "both", "before and after"
        BEFORE = "before", "before: the original passages"
        AFTER = "after", "after: the revisions"
        PAIR = "pair", "both together, side by side"

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    questionnaire = models.CharField(max_length=50, default="attribution")
    options = models.JSONField(default=list)
    """Names of the questionnaire's options in use."""
    runs = models.ManyToManyField(Run, through="CampaignRun", related_name="campaigns")
    """Runs whose revisions are judged."""
    sides = models.CharField(max_length=10, choices=Side, default=Side.AFTER)
    raters_per_item = models.PositiveSmallIntegerField(default=1)
    max_raters = models.PositiveSmallIntegerField(null=True)
    """An item whose raters differ gets up to this number; None: `raters_per_item` only.

    In a pilot every item gets `pilot_raters`."""
    pilot_size = models.PositiveIntegerField(default=0)
    """Passages that are judged first; 0 for no pilot."""
    pilot_raters = models.PositiveSmallIntegerField(default=3)
    sample_size = models.PositiveIntegerField(null=True)
    """Passages drawn at random from each run; None for all."""
    excluded_problems = models.JSONField(default=list, blank=True)
    """Keys of `answer_format.PROBLEMS`; answers with any of them are excluded."""
    excluded = models.JSONField(default=dict, blank=True)
    """Set when it began: `{"answers": n, "of": n, "problems": {…: n}}`."""
    seed = models.CharField(max_length=100, blank=True)
    """Of sample, order and pilot; empty for the slug."""
    may_repeat_passages = models.BooleanField(default=True)
    """Whether a rater may judge several sides or revisions of a passage."""
    copied_from = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, related_name="copies"
    )
    """`excludes_copied` excludes its passages."""
    excludes_copied = models.BooleanField(default=False)
    follows = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="followers"
    )
    """Raters of a passage there get it here next, as in the RARR paper."""
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    closed_in = models.CharField(max_length=10, choices=State, blank=True)
    """The state before closing, to which it reopens."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    exported_at = models.DateTimeField(null=True)
    """When it was first exported."""
    item_count = models.PositiveIntegerField(default=0)
    """Items that raters judge."""
    shared_count = models.PositiveIntegerField(default=0)
    """Further items, which share the answers of one of these."""
    passage_count = models.PositiveIntegerField(default=0)
    """Passages with items."""
    items_per_passage = models.PositiveSmallIntegerField(default=1)
    """The most items of one passage that raters judge: at most one for each side of each run."""
    guidelines_version = models.PositiveIntegerField(default=0)
    """The newest version; 0 before there is one."""

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(Lower("name"), "id", name="annotation_campaign_by_name"),
            models.Index(fields=["created_at", "id"], name="annotation_campaign_by_date"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(raters_per_item__gte=1), name="annotation_campaign_has_raters"
            ),
            models.CheckConstraint(
                condition=Q(max_raters=None) | Q(max_raters__gte=F("raters_per_item")),
                name="annotation_campaign_max_raters",
            ),
            models.CheckConstraint(
                condition=Q(pilot_raters__gte=1), name="annotation_campaign_pilot_raters"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("annotation:campaign", args=[self.slug])

    @property
    def problems_in_words(self) -> str:
        descriptions = [PROBLEMS.get(each, each) for each in self.excluded_problems]
        return "; ".join(each.removesuffix(".").lower() for each in descriptions)

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def is_draft(self) -> bool:
        return self.state == self.State.DRAFT

    @property
    def max_items_per_rater(self) -> int:
        """Return the number of open items that one rater can get."""
        if self.state == self.State.PILOT:
            return self.max_items(min(self.item_count, self.pilot_size * self.items_per_passage))
        return self.max_items(self.item_count)

    def max_items(self, items: int) -> int:
        """Return how many of the current phase's `items` one rater can get."""
        if not self.one_item_per_passage:
            return items
        if self.state == self.State.PILOT:
            return min(items, self.pilot_size)
        return min(items, self.passage_count)

    @property
    def raters_needed(self) -> int:
        """Return the smallest number of raters that can judge everything."""
        each = max(self.raters_per_item, self.pilot_raters if self.pilot_size else 1)
        return each * self.items_per_passage if self.one_item_per_passage else each

    @property
    def one_item_per_passage(self) -> bool:
        """Tell whether passages have several items, of which a rater gets only one."""
        return self.items_per_passage > 1 and not self.may_repeat_passages


class CampaignRun(models.Model):
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="run_links")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="campaign_links")
    judgeable_count = models.PositiveIntegerField(null=True)
    """Passages that could have been drawn; None before the start."""
    passage_count = models.PositiveIntegerField(default=0)
    """Passages that were drawn."""
    item_count = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "run"], name="annotation_campaign_run_once")
        ]

    def __str__(self) -> str:
        return f"Campaign {self.campaign} judges run {self.run_id}"

    def get_absolute_url(self) -> str:
        return self.campaign.get_absolute_url()


class Membership(models.Model):
    class Role(models.TextChoices):
        ANNOTATOR = "annotator", "annotator"
        ADJUDICATOR = "adjudicator", "adjudicator"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=20, choices=Role, default=Role.ANNOTATOR)
    created_at = models.DateTimeField(auto_now_add=True)
    has_read_instructions = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "user", "role"], name="annotation_membership_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role} of {self.campaign}"
