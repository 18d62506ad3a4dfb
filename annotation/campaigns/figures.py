"""A campaign's figures together: what raters did, what they said, and what machines say beside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from annotation.campaigns.progress import counts_by_rater
from annotation.models import Campaign
from annotation.questionnaires import questionnaire_of
from annotation.results.attribution import CampaignResult, campaign_result
from annotation.results.by_questionnaire import Figure, campaign_figures

if TYPE_CHECKING:
    from annotation.results.beside_automatic import BesideAutomatic


class CampaignWork(NamedTuple):
    """What raters did, and what they said in one phase or in all."""

    by_rater: dict[int, dict[str, Any]]
    """As `RaterProgress`."""
    result: CampaignResult | None
    """None for a questionnaire that has figures of its own."""
    figures: list[Figure]
    """Those."""


def campaign_work(campaign: Campaign, phase: str = "") -> CampaignWork:
    is_own = bool(questionnaire_of(campaign).figures)
    return CampaignWork(
        by_rater=counts_by_rater(campaign),
        result=None if is_own else campaign_result(campaign, phase=phase),
        figures=campaign_figures(campaign, phase=phase),
    )


def people_and_automatic(campaign: Campaign, phase: str) -> BesideAutomatic | None:
    from annotation.results.beside_automatic import beside_automatic  # imports NumPy

    return beside_automatic(campaign, phase)
