"""Where an item stands in its rater's row, and how much of the row is done."""

from dataclasses import dataclass

from django.utils import timezone

from annotation.models import Assignment, hand_written_sql
from annotation.quality import training


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One item's place among its rater's own, which are counted from 1."""

    number: int
    submitted: int
    """How many of the row are handed in."""
    today: int
    """And how many of those today."""
    previous: int | None
    """The assignment before it, by id."""
    following: int | None


def place_of(assignment: Assignment) -> Place:
    """In the row of the rater's training, for an item of it, or else in that of all others."""
    submitted, number, today, previous, following = hand_written_sql.place(
        user=assignment.rater_id,
        campaign=assignment.campaign_id,
        assignment=assignment.pk,
        is_training=training.is_training(assignment),
        midnight=timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0),
    )
    return Place(
        number=number, submitted=submitted, today=today, previous=previous, following=following
    )
