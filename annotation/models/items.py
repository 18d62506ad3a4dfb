"""Items: what raters judge."""

from django.db import models
from django.db.models import F, Q

from annotation.models.campaigns import Campaign
from pipeline.models import Passage, Revision


class Item(models.Model):
    """One thing to judge: a passage, before or after its revision, with its evidence; or a pair of
    both.

    Everything that a rater sees is frozen here when the campaign starts, so that no text changes
    after it was judged.
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
    """The revision's passage, also kept here so that a claim finds its other items quickly."""
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
    """The chance that its passage was drawn; one over it is the item's weight."""
    wanted = models.PositiveSmallIntegerField(default=1)
    """How many raters it needs, as far as is known now (`annotation.items.rater_demand`)."""
    done = models.PositiveSmallIntegerField(default=0)
    """How many of them have handed in: submitted assignments that hold a slot."""

    use = models.CharField(max_length=10, choices=Use, blank=True)
    """Whether it trains or checks raters, by its right answers; empty for most items. Raters are
    never told that an item is `gold`."""

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
            # A claim looks up whether a rater has had the passage: on another side, or as another
            # system revised it.
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
            # An item in use waits for nobody, and so may want no rater.
            models.CheckConstraint(
                condition=Q(wanted__gte=1) | ~Q(use=""), name="annotation_item_wanted"
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.position} of {self.campaign}"
