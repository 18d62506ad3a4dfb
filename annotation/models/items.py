from django.db import models
from django.db.models import F, Q

from annotation.models.campaigns import Campaign
from pipeline.models import Passage, Revision


class Item(models.Model):
    """One thing to judge: a passage before or after revision, or both, with evidence.

    Texts are frozen when the campaign starts.
    """

    class Side(models.TextChoices):
        BEFORE = "before", "before"
        AFTER = "after", "after"
        PAIR = "pair", "pair"

    class Use(models.TextChoices):
        TRAINING = "training", "training"
        GOLD = "gold", "gold"

    class Phase(models.TextChoices):
        PILOT = "pilot", "pilot"
        PRODUCTION = "production", "production"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="items")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="items")
    passage = models.ForeignKey(
        Passage, on_delete=models.PROTECT, related_name="items", db_index=False
    )
    """The revision's passage, for a fast claim."""
    side = models.CharField(max_length=10, choices=Side)
    position = models.PositiveIntegerField()
    context = models.TextField(blank=True)
    text = models.TextField()
    """The passage; of a pair, passage A."""
    sentences = models.JSONField()
    """`[{"start": int, "end": int}, …]`: offsets into `text`."""
    evidence = models.JSONField()
    """`[{"title": str, "url": str, "text": str}, …]`: the attribution report, or the sources of an
    imported answer, with the `number` by which it cites each."""
    citations = models.JSONField(default=list)
    """`[{"sentence": int, "evidence": int}, …]`, from 0, in the order of the text. Empty where the
    questionnaire does not ask."""
    second_text = models.TextField(blank=True)
    """Of a pair, passage B."""
    second_sentences = models.JSONField(default=list)
    """As `sentences`, of `second_text`."""
    first_side = models.CharField(max_length=10, blank=True)
    """Of a pair, the side of passage A, drawn at random; secret to raters."""

    phase = models.CharField(max_length=10, choices=Phase, default=Phase.PRODUCTION)
    inclusion = models.FloatField(default=1.0)
    """The probability that its passage was drawn; the weight is the inverse."""
    wanted = models.PositiveSmallIntegerField(default=1)
    """Raters that it needs (`annotation.items.rater_demand`)."""
    done = models.PositiveSmallIntegerField(default=0)
    """Submitted assignments with a slot."""
    shared_with = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, related_name="sharing"
    )
    """An item of the same passage with the same content, which raters judge instead."""

    use = models.CharField(max_length=10, choices=Use, blank=True)
    """Empty for most items; raters must not know which are `gold`."""

    class Meta:
        ordering = ["campaign", "position"]
        indexes = [
            models.Index(
                fields=["campaign", "use", "position"],
                condition=~Q(use=""),
                name="annotation_item_in_use",
            ),
            # For claims: only items that need raters.
            models.Index(
                fields=["campaign", "phase", "position"],
                condition=Q(done__lt=F("wanted")),
                name="annotation_item_open",
            ),
            # For claims: whether a rater has had the passage.
            models.Index(fields=["passage", "campaign"], name="annotation_item_of_passage"),
            # For counts of progress.
            models.Index(
                fields=["campaign", "phase", "wanted", "done"], name="annotation_item_progress"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "revision", "side"], name="annotation_item_once"
            ),
            models.UniqueConstraint(
                fields=["campaign", "position"], name="annotation_item_position"
            ),
            models.CheckConstraint(
                condition=Q(inclusion__gt=0) & Q(inclusion__lte=1), name="annotation_item_inclusion"
            ),
            # A training or gold item may need no rater.
            models.CheckConstraint(
                condition=Q(wanted__gte=1) | ~Q(use="") | Q(shared_with__isnull=False),
                name="annotation_item_wanted",
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.position} of {self.campaign}"
