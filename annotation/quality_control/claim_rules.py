"""How training and gold items affect a claim (`annotation.judging.claims`)."""

import enum
from collections.abc import Sequence

from django.db.models import Exists, OuterRef, Q, Value

from annotation.models import Campaign, Item, Pause
from annotation.quality_control import gold_items, training
from annotation.quality_control.training import TrainingStatus
from rarrweb.accounts.models import User


class ClaimBlock(enum.StrEnum):
    """Why a rater gets no item."""

    PAUSED = "paused"
    RETRAIN = "retrain"
    OUT_OF_ATTEMPTS = "out-of-attempts"


def has_checks(campaign: Campaign) -> bool:
    """Return whether the campaign trains or checks; no query if `checks` was selected."""
    return getattr(campaign, "checks", None) is not None


def update_rater(rater: User, campaigns: Sequence[Campaign]) -> None:
    """End a completed training, or begin a pause that is due."""
    for campaign in filter(has_checks, campaigns):
        training.finish_if_complete(campaign, rater)
        if not training.stopped(rater, [campaign]):
            gold_items.pause_if_due(campaign, rater)


def claim_blocks(rater: User, campaigns: Sequence[Campaign]) -> dict[int, ClaimBlock]:
    """Campaign id to why it gives the rater no item now."""
    checked = [campaign for campaign in campaigns if has_checks(campaign)]
    if not checked:
        return {}
    paused = Pause.objects.filter(campaign__in=checked, rater=rater, ended_at=None)
    blocks = dict.fromkeys(paused.values_list("campaign", flat=True), ClaimBlock.PAUSED)
    for campaign, status in training.stopped(rater, checked).items():
        is_failed = status == TrainingStatus.FAILED
        blocks[campaign] = ClaimBlock.RETRAIN if is_failed else ClaimBlock.OUT_OF_ATTEMPTS
    return blocks


def is_waiting(campaign: Campaign) -> Q | Value:
    """A condition on memberships: the rater gets no items until a researcher acts."""
    if not has_checks(campaign):
        return Value(False)
    paused = Pause.objects.filter(campaign=campaign, ended_at=None, rater=OuterRef("user"))
    failed = training.out_of_attempts(campaign).filter(rater=OuterRef("user"))
    return Q(Exists(paused) | Exists(failed))


def next_training_item(campaign: Campaign, rater: User) -> Item | None:
    """The training item to judge before ordinary ones."""
    return training.item_due(campaign, rater) if has_checks(campaign) else None


def next_gold_item(campaign: Campaign, rater: User) -> Item | None:
    """The gold item to judge in place of the next ordinary one."""
    return gold_items.item_due(campaign, rater) if has_checks(campaign) else None
