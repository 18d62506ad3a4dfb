"""Campaigns, and who works in them."""

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
        """A researcher sees every campaign; anyone else those they are a member of, once begun."""
        if user.is_researcher:
            return self.all()
        return self.filter(
            ~Q(state=Campaign.State.DRAFT),
            Exists(Membership.objects.filter(campaign=OuterRef("pk"), user_id=user.pk)),
        )

    def with_overlap(self) -> Self:
        """Campaigns in which an item can get two raters or more, so that they can differ."""
        return self.filter(
            Q(raters_per_item__gt=1) | Q(max_raters__gt=1) | Q(pilot_size__gt=0, pilot_raters__gt=1)
        )

    def led_by(self, user: User) -> Self:
        """The campaigns whose results and settings the user may see."""
        return self.all() if user.is_researcher else self.none()

    def current(self) -> Self:
        """Those that nobody has archived."""
        return self.filter(archived_at=None)


class Campaign(Archivable):
    """Items shown to raters under one questionnaire."""

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        PILOT = "pilot", "pilot"
        PRODUCTION = "production", "production"
        CLOSED = "closed", "closed"

    class Sampling(models.TextChoices):
        ALL = "all", "all passages"
        RANDOM = "random", "passages drawn at random"

    class Allocation(models.TextChoices):
        PROPORTIONAL = "proportional", "each run by its share, at least one"
        EQUAL = "equal", "as many from each run"

    OPEN = (State.PILOT, State.PRODUCTION)
    """The states in which raters judge."""

    class Side(models.TextChoices):
        BOTH = "both", "before and after"
        BEFORE = "before", "before: the original passages"
        AFTER = "after", "after: the revisions"
        PAIR = "pair", "both together, side by side"

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    questionnaire = models.CharField(max_length=50, default="attribution")
    options = models.JSONField(default=list)
    """Names of the questionnaire's options that the campaign uses; fixed when it starts."""
    runs = models.ManyToManyField(Run, through="CampaignRun", related_name="campaigns")
    """Whose revisions are judged: of one or several systems, over one or several datasets."""
    sides = models.CharField(max_length=10, choices=Side, default=Side.AFTER)
    raters_per_item = models.PositiveSmallIntegerField(default=1)
    max_raters = models.PositiveSmallIntegerField(null=True)
    """An item whose raters differ gets more of them, up to this number; None: never more than
    `raters_per_item`. In a pilot every item gets `pilot_raters`."""
    pilot_size = models.PositiveIntegerField(default=0)
    """How many of the passages are judged first, in a phase of their own; 0 for no pilot."""
    pilot_raters = models.PositiveSmallIntegerField(default=3)
    sampling = models.CharField(max_length=10, choices=Sampling, default=Sampling.ALL)
    sample_size = models.PositiveIntegerField(null=True)
    """How many passages are drawn from all runs together; None takes all."""
    allocation = models.CharField(
        max_length=12, choices=Allocation, default=Allocation.PROPORTIONAL
    )
    """How `sample_size` is split over the runs."""
    excluded_problems = models.JSONField(default=list, blank=True)
    """Answers with any of these problems of form are left out: `answer_format.PROBLEMS`."""
    excluded = models.JSONField(default=dict, blank=True)
    """What was left out for them when it began: `{"answers": n, "of": n, "problems": {…: n}}`."""
    seed = models.CharField(max_length=100, blank=True)
    """Seeds the draw, the order and the pilot; empty stands for the slug."""
    may_repeat_passages = models.BooleanField(default=False)
    """Whether one rater may judge a passage more than once: before and after, or as several
    systems revised it."""
    copied_from = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, related_name="copies"
    )
    """The campaign whose settings this one copied; `excludes_copied` leaves out its passages."""
    excludes_copied = models.BooleanField(default=False)
    follows = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="followers"
    )
    """The campaign whose passages this one asks about too: who has judged a passage there gets it
    here next, as the RARR paper asks about attribution and intent in succession."""
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    closed_in = models.CharField(max_length=10, choices=State, blank=True)
    """The state in which it was closed, and to which it reopens."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    item_count = models.PositiveIntegerField(default=0)
    passage_count = models.PositiveIntegerField(default=0)
    """How many passages its items are made from; a passage can have several items."""
    items_per_passage = models.PositiveSmallIntegerField(default=1)
    """How many items a passage has at most: one for each side of each run that revised it."""
    guidelines_version = models.PositiveIntegerField(default=0)
    """The number of the newest version of its instructions; 0 before there is one."""

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
        """What is wrong with answers that it leaves out."""
        says = [PROBLEMS.get(each, each) for each in self.excluded_problems]
        return "; ".join(each.removesuffix(".").lower() for each in says)

    @property
    def is_open(self) -> bool:
        """Whether raters judge in it now."""
        return self.state in self.OPEN

    @property
    def is_draft(self) -> bool:
        return self.state == self.State.DRAFT

    @property
    def max_items_per_rater(self) -> int:
        """How many of the items that are open by now one rater can get."""
        if self.state == self.State.PILOT:
            return self.max_items(min(self.item_count, self.pilot_size * self.items_per_passage))
        return self.max_items(self.item_count)

    def max_items(self, items: int) -> int:
        """How many of the current phase's `items` one rater can get."""
        if not self.one_item_per_passage:
            return items
        if self.state == self.State.PILOT:
            return min(items, self.pilot_size)
        return min(items, self.passage_count)

    @property
    def raters_needed(self) -> int:
        """The smallest number of raters that can judge everything."""
        each = max(self.raters_per_item, self.pilot_raters if self.pilot_size else 1)
        return each * self.items_per_passage if self.one_item_per_passage else each

    @property
    def one_item_per_passage(self) -> bool:
        """Whether passages have several items, of which a rater gets only one, so that one rater
        alone cannot judge everything."""
        return self.items_per_passage > 1 and not self.may_repeat_passages


class CampaignRun(models.Model):
    """That a campaign's items come from a run."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="run_links")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="campaign_links")
    judgeable_count = models.PositiveIntegerField(null=True)
    """Passages of the run that could have been drawn when the campaign began; None before that."""
    passage_count = models.PositiveIntegerField(default=0)
    """How many of them it took."""
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
