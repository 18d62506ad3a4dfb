"""What is judged."""

from django.db import models

from annotation.models.campaigns import Campaign
from pipeline.models import Revision


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
