"""Where an item stands in its rater's row, and how much of the row is done."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Min, Q, QuerySet
from django.utils import timezone

from annotation import training
from annotation.assigning import own_assignments
from annotation.models import Assignment, Campaign, Item
from rarrweb.accounts.models import User
from rarrweb.prepared import Prepared


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
    row = _ROWS[training.is_training(assignment)]
    values = (assignment.rater_id, assignment.item.campaign_id, assignment.pk, _midnight())
    [(submitted, number, today, previous, following)] = row(*values)
    return Place(
        number=number, submitted=submitted, today=today, previous=previous, following=following
    )


def _row(*, is_training: bool) -> Prepared:
    of_training = Q(purpose=Item.Use.TRAINING)
    kind = of_training if is_training else ~of_training

    def counted(user: int, campaign: int, assignment: int, since: datetime) -> QuerySet[Assignment]:
        own = own_assignments(User(pk=user), Campaign(pk=campaign)).filter(kind).order_by()
        # One group, so that it is a query and not yet an answer; where there is no row, none.
        return (
            own.values("rater")
            .annotate(
                submitted=Count("pk", filter=Q(submitted_at__isnull=False)),
                number=Count("pk", filter=Q(pk__lte=assignment)),
                today=Count("pk", filter=Q(submitted_at__gte=since)),
                previous=Max("pk", filter=Q(pk__lt=assignment)),
                following=Min("pk", filter=Q(pk__gt=assignment)),
            )
            .values_list("submitted", "number", "today", "previous", "following")
        )

    return Prepared(counted)


_ROWS = {True: _row(is_training=True), False: _row(is_training=False)}


def _midnight() -> datetime:
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
