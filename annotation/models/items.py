"""What is judged."""

from django.db import models
from django.db.models import F, Q

from annotation.models.campaigns import Campaign
from pipeline.models import Passage, Revision


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
    """The revision's: here once more, so that a claim finds a passage's other items at once."""
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

    phase = models.CharField(max_length=10, choices=Phase, default=Phase.PRODUCTION)
    """In which phase of the campaign it is judged."""
    inclusion = models.FloatField(default=1.0)
    """The chance that its passage had of being drawn; one over it is the item's weight."""
    wanted = models.PositiveSmallIntegerField(default=1)
    """How many raters it is to get, as far as is known now (`annotation.counters`)."""
    done = models.PositiveSmallIntegerField(default=0)
    """How many of them have handed in: submitted assignments that hold a slot."""

    use = models.CharField(max_length=10, choices=Use, blank=True)
    """Whether it trains raters or checks them, by its right answers; empty for most items. Never
    told to a rater where it is `gold`."""

    class Meta:
        ordering = ["campaign", "position"]
        indexes = [
            models.Index(
                fields=["campaign", "use", "position"],
                condition=~Q(use=""),
                name="annotation_item_in_use",
            ),
            # What a claim looks through: only items that still want somebody.
            models.Index(
                fields=["campaign", "phase", "position"],
                condition=Q(done__lt=F("wanted")),
                name="annotation_item_open",
            ),
            # By what a claim knows that a rater has had the passage: on another side, or as
            # another system revised it.
            models.Index(fields=["passage", "campaign"], name="annotation_item_of_passage"),
            # What progress is counted from, without reading an item's texts.
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
            # An item in use waits for nobody, and so wants no more than it has.
            models.CheckConstraint(
                condition=Q(wanted__gte=1) | ~Q(use=""), name="annotation_item_wanted"
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.position} of {self.campaign}"
