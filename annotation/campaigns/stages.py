"""A campaign's state and next step, as pages display them."""

import enum
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count

from annotation.adjudication.cases import waiting_counts
from annotation.campaigns.progress import PhaseProgress, phases_of
from annotation.items.rater_demand import compares_raters
from annotation.models import Campaign, Membership
from annotation.results.cached_figures import FigureCache


class Action(enum.StrEnum):
    START = "start"
    ADD_RATERS = "add-raters"
    ANNOTATE = "annotate"
    ADJUDICATE = "adjudicate"
    START_PRODUCTION = "start-production"
    RESULTS = "results"
    EXPORT = "export"
    REOPEN = "reopen"


class CampaignStage(NamedTuple):
    label: str
    mark: str
    tone: str
    """The CSS class of the chip."""
    why: str
    action: Action
    is_final: bool = False
    """Whether the figures are final."""


def all_submitted(campaign: Campaign, phases: Sequence[PhaseProgress]) -> bool:
    """Tell whether every item of the current phase has all its submissions."""
    now = [each for each in phases if each.phase == campaign.state]
    return bool(now) and all(each.is_complete for each in now)


def stages_of(campaigns: Sequence[Campaign], cache: FigureCache) -> dict[int, CampaignStage]:
    """Return campaign ids to stages, for lists. Four queries, and those of `waiting_counts`."""
    phases = phases_of(campaigns)
    judging = Membership.objects.filter(role=Membership.Role.ANNOTATOR, campaign__in=campaigns)
    raters = dict(judging.values_list("campaign").annotate(Count("pk")).order_by())
    compared = [each for each in campaigns if each.is_open and compares_raters(each)]
    split = waiting_counts(compared, cache)
    return {
        each.pk: stage_of(
            each,
            phases.get(each.pk, []),
            raters=raters.get(each.pk, 0),
            is_rater=False,
            split=split.get(each.pk, 0),
        )
        for each in campaigns
    }


def stage_of(
    campaign: Campaign,
    phases: Sequence[PhaseProgress],
    *,
    raters: int,
    is_rater: bool,
    split: int | None,
    links: int = 0,
) -> CampaignStage:
    """Return the campaign's stage; `split` counts items to adjudicate, None if unknown.

    `is_rater`: whether the viewer is a rater. `links` counts unused ones for raters.
    """
    done = sum(each.done for each in phases)
    if campaign.is_draft:
        first = "pilot" if campaign.pilot_size else "campaign"
        why = f"Raters can begin when you start the {first}."
        return CampaignStage("Draft", "✎", "waiting", why, Action.START)
    if not campaign.is_open:
        why = "Raters can no longer change anything. Saved answers stay."
        action = Action.RESULTS if done else Action.REOPEN
        return CampaignStage("Closed", "■", "", why, action, is_final=True)
    now = [each for each in phases if each.phase == campaign.state]
    if all_submitted(campaign, phases):
        return _complete(campaign, sum(each.done for each in now), split=split)
    missing = campaign.raters_needed - raters
    if not raters:
        why = _unused(links) or "The campaign is open and has no raters yet."
        return CampaignStage("Waiting for raters", "◌", "waiting", why, Action.ADD_RATERS)
    if split:
        action, why = Action.ADJUDICATE, f"{_split_answers(split)} Raters can continue meanwhile."
    elif missing > 0:
        more = "1 more rater is" if missing == 1 else f"{missing} more raters are"
        action, why = Action.ADD_RATERS, f"{more} needed to judge everything. {_unused(links)}"
    elif done:
        wanted = sum(each.wanted for each in now)
        action, why = Action.RESULTS, f"{sum(each.done for each in now):,} of {wanted:,} submitted."
    else:
        action, why = Action.ADD_RATERS, "Raters can begin: nothing is submitted yet."
    if is_rater and not split:
        action = Action.ANNOTATE
    label = "Pilot in progress" if campaign.state == Campaign.State.PILOT else "In progress"
    return CampaignStage(label, "◐", "running", why, action)


def _complete(campaign: Campaign, done: int, *, split: int | None) -> CampaignStage:
    every = f"All {done:,} submissions are in" if done > 1 else "Everything is submitted"
    if campaign.state == Campaign.State.PILOT:
        why = f"{every}. Read the answers and questions, then start production."
        return CampaignStage("Pilot complete", "✓", "done", why, Action.START_PRODUCTION)
    if split:
        why = f"{every}. {_split_answers(split)}"
        return CampaignStage("To adjudicate", "◐", "running", why, Action.ADJUDICATE)
    is_known = split is not None and campaign.raters_per_item > 1
    why = f"{every}{', and no disagreements are left' if is_known else ''}."
    return CampaignStage("Complete", "✓", "done", why, Action.RESULTS, is_final=True)


def _split_answers(split: int) -> str:
    return f"{split:,} item{'' if split == 1 else 's'} to adjudicate."


def _unused(links: int) -> str:
    if not links:
        return ""
    return (
        "1 link is waiting to be used." if links == 1 else f"{links} links are waiting to be used."
    )
