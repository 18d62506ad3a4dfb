"""How training and gold items affect a claim: which raters wait, and which items come first.

`annotation.judging.claims` calls these functions.
"""

import enum
from collections.abc import Sequence

from django.db.models import Exists, OuterRef, Q, Value

from annotation.models import Campaign, Item, Pause
from annotation.quality_control import gold_items, training
from annotation.quality_control.training import Stage
from rarrweb.accounts.models import User


class Stop(enum.StrEnum):
    """Why a campaign gives a rater no item, though there may be some to judge."""

    PAUSED = "paused"
    TRY_AGAIN = "try-again"
    NOT_PASSED = "not-passed"


def has_checks(campaign: Campaign) -> bool:
    """Whether the campaign trains or checks at all; no query where `checks` was selected."""
    return getattr(campaign, "checks", None) is not None


def settle(rater: User, campaigns: Sequence[Campaign]) -> None:
    """End the rater's training where its last item is done, and begin a pause that is due."""
    for campaign in filter(has_checks, campaigns):
        training.finish_if_complete(campaign, rater)
        if not training.stopped(rater, [campaign]):
            gold_items.pause_if_due(campaign, rater)


def stops(rater: User, campaigns: Sequence[Campaign]) -> dict[int, Stop]:
    """Campaigns, by id, that give the rater no item now, and why."""
    checked = [campaign for campaign in campaigns if has_checks(campaign)]
    if not checked:
        return {}
    paused = Pause.objects.filter(campaign__in=checked, rater=rater, ended_at=None)
    found = dict.fromkeys(paused.values_list("campaign", flat=True), Stop.PAUSED)
    for campaign, stage in training.stopped(rater, checked).items():
        found[campaign] = Stop.TRY_AGAIN if stage == Stage.FAILED else Stop.NOT_PASSED
    return found


def is_waiting(campaign: Campaign) -> Q | Value:
    """Of a membership, in a query: whether its rater gets no items until a researcher helps."""
    if not has_checks(campaign):
        return Value(False)
    paused = Pause.objects.filter(campaign=campaign, ended_at=None, rater=OuterRef("user"))
    failed = training.out_of_attempts(campaign).filter(rater=OuterRef("user"))
    return Q(Exists(paused) | Exists(failed))


def next_training_item(campaign: Campaign, rater: User) -> Item | None:
    """The training item that the rater gets before any real one."""
    return training.item_due(campaign, rater) if has_checks(campaign) else None


def next_gold_item(campaign: Campaign, rater: User) -> Item | None:
    """The gold item that the rater gets in place of the next real one."""
    return gold_items.item_due(campaign, rater) if has_checks(campaign) else None
