"""What training and gold items mean for a claim: who waits, and which item comes before others.

`annotation.assigning` asks here, and only about campaigns that have settings for it.
"""

import enum
from collections.abc import Sequence

from annotation import gold, training
from annotation.models import Campaign, Item
from annotation.training import Stage
from rarrweb.accounts.models import User


class Stop(enum.StrEnum):
    """Why a campaign hands a rater nothing, though there may be something to judge."""

    PAUSED = "paused"
    TRY_AGAIN = "try-again"
    NOT_PASSED = "not-passed"


def has_checks(campaign: Campaign) -> bool:
    """Whether the campaign trains or checks at all; no query where `checks` was selected."""
    return getattr(campaign, "checks", None) is not None


def stops(rater: User, campaigns: Sequence[Campaign]) -> dict[int, Stop]:
    """Which of the campaigns, by id, hand the rater nothing now, and why."""
    checked = [campaign for campaign in campaigns if has_checks(campaign)]
    if not checked:
        return {}
    found = {
        campaign: Stop.TRY_AGAIN if stage == Stage.FAILED else Stop.NOT_PASSED
        for campaign, stage in training.stopped(rater, checked).items()
    }
    for campaign in checked:
        if campaign.pk not in found and gold.pause_if_due(campaign, rater) is not None:
            found[campaign.pk] = Stop.PAUSED
    return found


def raters_who_wait(campaign: Campaign) -> int:
    """How many raters get nothing until a researcher lets them go on. Two queries, or none."""
    if not has_checks(campaign):
        return 0
    return len({*gold.paused(campaign), *training.out_of_tries(campaign)})


def before_others(campaign: Campaign, rater: User) -> Item | None:
    """The training item that the rater gets before any real one."""
    return training.item_due(campaign, rater) if has_checks(campaign) else None


def in_place_of(campaign: Campaign, rater: User) -> Item | None:
    """The gold item that the rater gets where the next real one would have come."""
    return gold.item_due(campaign, rater) if has_checks(campaign) else None
