"""Gold items: items with right answers that measure a rater's accuracy.

They take no slots, and only researchers know them.
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
"""The most points of a rater's line, the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The share of right answers about gold targets; n counts passages."""

    overall: Estimate | None
    recent: Estimate | None
    """Over the last k targets, where k is `pause_targets`."""
    line: tuple[float, ...]
    """The same after each gold item, oldest first."""


def item_due(campaign: Campaign, rater: User) -> Item | None:
    """The gold item to assign in place of the next ordinary one; None if none is due.

    One of every `gold_every` items is gold, at a drawn position. Draws are repeatable.
    """
    every = settings_of(campaign).gold_every
    assigned = Assignment.objects.filter(item__campaign=campaign, rater=rater)
    count = assigned.exclude(purpose=Item.Use.TRAINING).count()
    if count % every != _draw(campaign, rater, f"round {count // every}") % every:
        return None
    unseen = campaign.items.filter(use=Item.Use.GOLD).exclude(pk__in=assigned.values("item"))
    unseen = unseen.exclude(openings__user=rater).only("pk")
    if not campaign.may_repeat_passages:
        unseen = unseen.exclude(passage__in=assigned.values("item__passage"))
    return min(unseen, key=lambda item: _draw(campaign, rater, f"item {item.pk}"), default=None)


def accuracies(campaign: Campaign) -> dict[int, Accuracy]:
    """Compute accuracy by rater id, where a gold item is submitted. One query."""
    window = settings_of(campaign).pause_targets
    rows = defaultdict(list)
    for rater, assignment, passage, value, right in _compared(
        campaign, "assignment__rater", "assignment", "assignment__item__passage", "value", "right"
    ):
        rows[rater].append((assignment, passage, value == right))
    return {rater: _accuracy(of_rater, window) for rater, of_rater in rows.items()}


def item_shares(campaign: Campaign) -> dict[int, tuple[int, int]]:
    """Map gold items to (right answers, answers); few right ones hint at a wrong reference."""
    answers: dict[int, list[bool]] = defaultdict(list)
    for item, value, right in _compared(campaign, "assignment__item", "value", "right"):
        answers[item].append(value == right)
    return {item: (sum(are_right), len(are_right)) for item, are_right in answers.items()}


def pause_if_due(campaign: Campaign, rater: User) -> Pause | None:
    """Return the rater's current pause, or begin one that is due; None if there is none.

    A pause is due when too few of the last k gold targets since the last pause are right.
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
    is_enough = 100 * sum(same) >= settings.pause_percent * len(same)
    if is_enough or len(same) < settings.pause_targets:
        return None
    try:
        with transaction.atomic():
            counted = {"right": sum(same), "judged": len(same)}
            return Pause.objects.create(
                campaign=campaign, rater=rater, since=timezone.now(), **counted
            )
    except IntegrityError:  # a concurrent request
        return pauses.filter(ended_at=None).first()


def resume_rater(campaign: Campaign, rater: User, *, by: User) -> bool:
    """End the rater's pause; False if none."""
    open_ones = Pause.objects.filter(campaign=campaign, rater=rater, ended_at=None)
    return bool(open_ones.update(ended_at=timezone.now(), ended_by=by))


def _compared(campaign: Campaign, *columns: str) -> QuerySet[Judgment, tuple[Any, ...]]:
    """Read submitted answers about gold targets, oldest first; "right" can be a column."""
    return (
        with_reference_answers(campaign)
        .filter(assignment__item__use=Item.Use.GOLD, assignment__purpose=Item.Use.GOLD)
        .order_by("assignment__submitted_at", "assignment", "criterion", "target")
        .values_list(*columns)
    )


def _accuracy(rows: Sequence[tuple[int, int, bool]], window: int) -> Accuracy:
    """Compute it from (assignment, passage, is right), oldest first."""
    _, passages, same = zip(*rows, strict=True)
    line = []
    for end, (assignment, _, _) in enumerate(rows, start=1):
        if end == len(rows) or rows[end][0] != assignment:  # the item's last target
            recent = same[max(0, end - window) : end]
            line.append(sum(recent) / len(recent))

    def share(most: int) -> Estimate | None:
        return ratio_estimate(same[-most:], clusters=passages[-most:], lowest=0, highest=1)

    return Accuracy(overall=share(len(same)), recent=share(window), line=tuple(line[-POINTS:]))


def _draw(campaign: Campaign, rater: User, what: str) -> int:
    salt = f"annotation.gold.{campaign.pk}.{rater.pk}"
    return int(salted_hmac(salt, what, algorithm="sha256").hexdigest(), 16)
