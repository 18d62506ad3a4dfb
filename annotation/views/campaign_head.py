"""The head of a campaign's pages, with tabs."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet
from django.shortcuts import get_object_or_404

from annotation.adjudication import cases
from annotation.campaigns.progress import PhaseProgress, phases_of, selected_phase
from annotation.campaigns.stages import Action, CampaignStage, stage_of
from annotation.items.rater_demand import compares_raters
from annotation.items.run_groups import links_of
from annotation.models import Campaign, CampaignInvitation, Membership, RaterQuestion
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Questionnaire
from annotation.results.cached_figures import FigureCache
from pipeline.models import Dataset
from rarrweb.accounts.http import UserRequest
from rarrweb.web.listing import count_of
from rarrweb.web.tabs import Tab, tabs_of

TABS = {
    "annotation:campaign": "Overview",
    "annotation:items": "Items",
    "annotation:raters": "Raters",
    "annotation:results": "Results",
    "annotation:campaign-settings": "Settings",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignHead:
    stage: CampaignStage
    questionnaire: Questionnaire
    systems: list[str]
    datasets: list[Dataset]
    phases: list[PhaseProgress]
    raters: int
    links: int
    """Unused links for raters."""
    split: int | None
    """Items to adjudicate; None if missing."""
    submitted: int
    tabs: list[Tab]
    figure_cache: FigureCache


def campaign_to_lead(request: UserRequest, slug: str) -> Campaign:
    """Return a campaign that the user leads, with its head's counts; raises `Http404`."""
    return get_object_or_404(campaigns_to_lead(request), slug=slug)


def led_campaign(request: UserRequest, slug: str, *related: str) -> Campaign:
    """Return a campaign that the user leads, with `related` objects; raises `Http404`."""
    led = Campaign.objects.led_by(request.user)
    return get_object_or_404(led.select_related(*related) if related else led, slug=slug)


def campaigns_to_lead(request: UserRequest) -> QuerySet[Campaign]:
    """Return the user's led campaigns with counts of raters, unused links and open questions."""
    led = Campaign.objects.led_by(request.user).select_related("checks", "copied_from")
    judging = Membership.objects.filter(role=Membership.Role.ANNOTATOR)
    unused = CampaignInvitation.objects.usable().filter(role=Membership.Role.ANNOTATOR)
    return led.annotate(
        rater_count=count_of(judging, "campaign"),
        link_count=count_of(unused, "campaign") + count_of(unused, "other_campaigns"),
        has_me=Exists(judging.filter(campaign=OuterRef("pk"), user_id=request.user.pk)),
        questions_waiting=count_of(RaterQuestion.objects.waiting(), "campaign"),
    )


def requested_phase(request: UserRequest, campaign: Campaign) -> str:
    """Return the phase of the address, or else the one that raters are in; "" for all phases."""
    phases = phases_of([campaign]).get(campaign.pk, []) if campaign.pilot_size else []
    return selected_phase(campaign, phases, request.GET.get("phase"))


def head_of(campaign: Campaign, current: str, cache: FigureCache) -> CampaignHead:
    """Return the head of a campaign from `campaigns_to_lead`, on the tab `current`.

    Three queries at most, and those of `cache`.
    """
    runs = [link.run for link in links_of(campaign)]
    phases = phases_of([campaign]).get(campaign.pk, [])
    raters: int = campaign.rater_count  # type: ignore[attr-defined]  # annotated
    is_rater: bool = campaign.has_me  # type: ignore[attr-defined]  # annotated
    submitted = sum(each.done for each in phases)
    has_splits = submitted and compares_raters(campaign)
    split = cache.get(cases.count_waiting, campaign) if has_splits else 0
    counts = {
        "annotation:items": campaign.item_count or None,
        "annotation:raters": raters or None,
    }
    links: int = campaign.link_count  # type: ignore[attr-defined]  # annotated
    stage = stage_of(campaign, phases, raters=raters, is_rater=is_rater, split=split, links=links)
    if stage.action == Action.RESULTS and current == "results":
        stage = stage._replace(action=Action.EXPORT)
    return CampaignHead(
        stage=stage,
        questionnaire=questionnaire_of(campaign),
        systems=sorted({"texts without a run" if run.is_unrevised else run.system for run in runs}),
        datasets=list({run.dataset_id: run.dataset for run in runs}.values()),
        phases=phases,
        raters=raters,
        links=links,
        split=split,
        submitted=submitted,
        tabs=tabs_of(TABS, campaign.slug, current=f"annotation:{current}", counts=counts),
        figure_cache=cache,
    )
