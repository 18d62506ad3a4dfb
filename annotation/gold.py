"""Gold items: mixed in among the others, looking like them, to see how sure a rater is.

A gold item takes a place in a rater's row of items, never one of the item's places, and nobody
but the researcher learns which one it was.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotation.models import Assignment, Campaign, Item, Judgment, Pause, RightAnswer
from annotation.right_answers import settings_of
from pipeline.metrics.inference import Estimate, share_estimate
from rarrweb.accounts.models import User

POINTS = 60
"""A rater's line has at most so many points, the last ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """One rater's answers about gold targets, as far as they are handed in."""

    overall: Estimate | None
    recent: Estimate | None
    """Over the last k targets only, where k is the campaign's `pause_targets`."""
    line: tuple[float, ...]
    """The share over the last k targets, after each gold item, the last one last."""


def item_due(campaign: Campaign, rater: User) -> Item | None:
    """The gold item to hand out in place of the next ordinary one; None where none is due.

    Of each `gold_every` items in a rater's row one is a gold item, at a place that is drawn anew
    each time: a rater who counts finds no rule. Which gold item comes is drawn too. The draws are
    keyed with the installation's secret, so that they come out the same when asked again.
    """
    every = settings_of(campaign).gold_every
    own = Assignment.objects.filter(item__campaign=campaign, rater=rater)
    place = own.exclude(purpose=Item.Use.TRAINING).count()
    turn = place // every
    if place % every != _chance(campaign, rater, f"turn {turn}") % every:
        return None
    unseen = campaign.items.filter(use=Item.Use.GOLD).exclude(pk__in=own.values("item"))
    if not campaign.may_repeat_passages:
        unseen = unseen.exclude(passage__in=own.values("item__passage"))
    drawn = min(
        unseen.values_list("pk", flat=True),
        key=lambda pk: _chance(campaign, rater, f"item {pk}"),
        default=None,
    )
    return None if drawn is None else Item.objects.select_related("campaign").get(pk=drawn)


def accuracies(campaign: Campaign) -> dict[int, Accuracy]:
    """Rater id to accuracy, of everybody who has handed in a gold item. One query."""
    window = settings_of(campaign).pause_targets
    rows = defaultdict(list)
    for rater, assignment, value, right in _compared(campaign).values_list(
        "assignment__rater", "assignment", "value", "right"
    ):
        rows[rater].append((assignment, value == right))
    return {rater: _accuracy(of_rater, window) for rater, of_rater in rows.items()}


def item_shares(campaign: Campaign) -> dict[int, tuple[int, int]]:
    """Gold item to how many of its raters' answers are right, and how many there are.

    A gold item that nearly everybody gets wrong may have a wrong right answer.
    """
    shares: dict[int, tuple[int, int]] = {}
    for item, value, right in _compared(campaign).values_list("assignment__item", "value", "right"):
        so_far, n = shares.get(item, (0, 0))
        shares[item] = so_far + (value == right), n + 1
    return shares


def pause_if_due(campaign: Campaign, rater: User) -> Pause | None:
    """The rater's pause: the one that goes on, or one that begins now; None where there is none.

    It begins when the last k gold targets are there and fewer of them are right than the campaign
    asks. Those from before the last pause count no more, so that who was let on begins afresh.
    """
    pauses = Pause.objects.filter(campaign=campaign, rater=rater).order_by("since")
    last = pauses.last()
    if last is not None and last.ended_at is None:
        return last
    settings = settings_of(campaign)
    if settings.pause_percent is None:
        return None
    rows = _compared(campaign).filter(assignment__rater=rater)
    if last is not None:
        rows = rows.filter(assignment__submitted_at__gt=last.ended_at)
    newest = rows.reverse().values_list("value", "right")[: settings.pause_targets]
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


def let_on(campaign: Campaign, rater: User, *, by: User) -> bool:
    """End the rater's pause; False where there is none."""
    open_ones = Pause.objects.filter(campaign=campaign, rater=rater, ended_at=None)
    return bool(open_ones.update(ended_at=timezone.now(), ended_by=by))


def paused(campaign: Campaign) -> dict[int, Pause]:
    """Rater id to the pause that goes on."""
    return {row.rater_id: row for row in Pause.objects.filter(campaign=campaign, ended_at=None)}


def _compared(campaign: Campaign) -> QuerySet[Judgment]:
    """Answers that were handed in about gold targets, each with the `right` one, oldest first."""
    right = RightAnswer.objects.filter(
        item=OuterRef("assignment__item"),
        criterion=OuterRef("criterion"),
        target=OuterRef("target"),
    )
    return (
        Judgment.objects.filter(
            assignment__item__campaign=campaign,
            assignment__item__use=Item.Use.GOLD,
            assignment__purpose=Item.Use.GOLD,
            assignment__submitted_at__isnull=False,
            value__isnull=False,
        )
        .annotate(right=Subquery(right.values("value")[:1]))
        .filter(right__isnull=False)
        .order_by("assignment__submitted_at", "assignment", "criterion", "target")
    )


def _accuracy(rows: Sequence[tuple[int, bool]], window: int) -> Accuracy:
    """Of (assignment, is right), oldest first."""
    same = [is_right for _, is_right in rows]
    last = same[-window:]
    return Accuracy(
        overall=share_estimate(sum(same), len(same)),
        recent=share_estimate(sum(last), len(last)),
        line=tuple(_line(rows, window))[-POINTS:],
    )


def _line(rows: Sequence[tuple[int, bool]], window: int) -> Iterable[float]:
    same = [is_right for _, is_right in rows]
    for place, (assignment, _) in enumerate(rows, start=1):
        if place == len(rows) or rows[place][0] != assignment:  # the item's last target
            recent = same[max(0, place - window) : place]
            yield sum(recent) / len(recent)


def _chance(campaign: Campaign, rater: User, what: str) -> int:
    salt = f"annotation.gold.{campaign.pk}.{rater.pk}"
    return int(salted_hmac(salt, what, algorithm="sha256").hexdigest(), 16)
