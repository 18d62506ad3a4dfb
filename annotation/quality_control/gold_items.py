"""Gold items: mixed in among the others and looking like them, to see how accurate a rater is.

A rater who judges one takes none of the item's slots, and only the researcher learns which items
were gold.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotation.models import Assignment, Campaign, Item, Judgment, Pause
from annotation.quality_control.reference_answers import settings_of, with_reference_answers
from pipeline.metrics.inference import Estimate, ratio_estimate
from rarrweb.accounts.models import User

POINTS = 60
"""A rater's line shows at most this many points, the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How many of one rater's submitted answers about gold targets are right."""

    overall: Estimate | None
    recent: Estimate | None
    """Over the last k targets only, where k is the campaign's `pause_targets`."""
    line: tuple[float, ...]
    """The share over the last k targets, after each gold item, the last one last."""


def item_due(campaign: Campaign, rater: User) -> Item | None:
    """The gold item to hand out in place of the next ordinary one; None if none is due.

    One of every `gold_every` items of a rater is gold, at a place drawn anew each time, so that
    counting reveals nothing. Which gold item comes is drawn too. The draws are keyed with the
    installation's secret, so that asking again gives the same result.
    """
    every = settings_of(campaign).gold_every
    own = Assignment.objects.filter(item__campaign=campaign, rater=rater)
    place = own.exclude(purpose=Item.Use.TRAINING).count()
    turn = place // every
    if place % every != _chance(campaign, rater, f"turn {turn}") % every:
        return None
    unseen = campaign.items.filter(use=Item.Use.GOLD).exclude(pk__in=own.values("item"))
    unseen = unseen.exclude(openings__user=rater)
    if not campaign.may_repeat_passages:
        unseen = unseen.exclude(passage__in=own.values("item__passage"))
    drawn = min(
        unseen.values_list("pk", flat=True),
        key=lambda pk: _chance(campaign, rater, f"item {pk}"),
        default=None,
    )
    return None if drawn is None else Item.objects.select_related("campaign").get(pk=drawn)


def accuracies(campaign: Campaign) -> dict[int, Accuracy]:
    """Rater id to accuracy, for everybody who has handed in a gold item. One query."""
    window = settings_of(campaign).pause_targets
    rows = defaultdict(list)
    for rater, assignment, passage, value, right in _compared(
        campaign, "assignment__rater", "assignment", "assignment__item__passage", "value", "right"
    ):
        rows[rater].append((assignment, passage, value == right))
    return {rater: _accuracy(of_rater, window) for rater, of_rater in rows.items()}


def item_shares(campaign: Campaign) -> dict[int, tuple[int, int]]:
    """Gold item to how many answers about it are right, and how many there are.

    If nearly everybody gets an item wrong, its right answer may be wrong.
    """
    shares: dict[int, tuple[int, int]] = {}
    for item, value, right in _compared(campaign, "assignment__item", "value", "right"):
        so_far, n = shares.get(item, (0, 0))
        shares[item] = so_far + (value == right), n + 1
    return shares


def pause_if_due(campaign: Campaign, rater: User) -> Pause | None:
    """The rater's pause: the current one, or one that begins now; None if there is none.

    A pause begins when fewer of the last k gold targets are right than the campaign asks. Targets
    from before the last pause no longer count, so that the rater begins afresh.
    """
    pauses = Pause.objects.filter(campaign=campaign, rater=rater).order_by("since")
    last = pauses.last()
    if last is not None and last.ended_at is None:
        return last
    settings = settings_of(campaign)
    if settings.pause_percent is None:
        return None
    rows = _compared(campaign, "value", "right").filter(assignment__rater=rater)
    if last is not None:
        rows = rows.filter(assignment__submitted_at__gt=last.ended_at)
    newest = rows.reverse()[: settings.pause_targets]
    same = [value == right for value, right in newest]
    if len(same) < settings.pause_targets:
        return None
    if 100 * sum(same) >= settings.pause_percent * len(same):
        return None
    try:
        with transaction.atomic():
            return Pause.objects.create(
                campaign=campaign,
                rater=rater,
                since=timezone.now(),
                right=sum(same),
                judged=len(same),
            )
    except IntegrityError:  # another tab asked at the same moment
        return pauses.filter(ended_at=None).first()


def resume_rater(campaign: Campaign, rater: User, *, by: User) -> bool:
    """End the rater's pause; False where there is none."""
    open_ones = Pause.objects.filter(campaign=campaign, rater=rater, ended_at=None)
    return bool(open_ones.update(ended_at=timezone.now(), ended_by=by))


def paused(campaign: Campaign) -> dict[int, Pause]:
    """Rater id to the current pause."""
    return {row.rater_id: row for row in Pause.objects.filter(campaign=campaign, ended_at=None)}


def _compared(campaign: Campaign, *columns: str) -> QuerySet[Judgment, tuple[Any, ...]]:
    """`columns` of the submitted answers about gold targets, oldest first; `right` is the right
    answer's value."""
    return (
        with_reference_answers(campaign)
        .filter(assignment__item__use=Item.Use.GOLD, assignment__purpose=Item.Use.GOLD)
        .order_by("assignment__submitted_at", "assignment", "criterion", "target")
        .values_list(*columns)
    )


def _accuracy(rows: Sequence[tuple[int, int, bool]], window: int) -> Accuracy:
    """Accuracy over (assignment, passage, is right), oldest first."""
    _, passages, same = zip(*rows, strict=True)
    line = []
    for place, (assignment, _, _) in enumerate(rows, start=1):
        if place == len(rows) or rows[place][0] != assignment:  # the item's last target
            recent = same[max(0, place - window) : place]
            line.append(sum(recent) / len(recent))

    def share(most: int) -> Estimate | None:
        return ratio_estimate(same[-most:], clusters=passages[-most:], lowest=0, highest=1)

    return Accuracy(
        overall=share(len(same)),
        recent=share(window),
        line=tuple(line[-POINTS:]),
    )


def _chance(campaign: Campaign, rater: User, what: str) -> int:
    salt = f"annotation.gold.{campaign.pk}.{rater.pk}"
    return int(salted_hmac(salt, what, algorithm="sha256").hexdigest(), 16)
