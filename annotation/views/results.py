"""A campaign's results so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.campaigns.progress import PhaseProgress, selected_phase
from annotation.exporting import formats_for
from annotation.items.rater_demand import compares_raters
from annotation.items.run_groups import links_of
from annotation.models import Campaign, CampaignRun
from annotation.results.attribution import campaign_result
from annotation.results.by_questionnaire import campaign_figures
from annotation.results.cached_figures import Figures
from annotation.views.campaign_head import (
    campaign_to_lead,
    head_of,
    led_campaign,
    requested_phase,
)
from pipeline.engine.scorer_info import Scorer, run_scorer
from rarrweb.accounts import audit
from rarrweb.accounts.http import UserRequest
from rarrweb.web.streaming import download_headers

if TYPE_CHECKING:
    from annotation.results.human_vs_automatic import HumanVsAutomatic


@require_safe
def results(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_to_lead(request, slug)
    figures = Figures.of_request(request)
    head = head_of(campaign, "results", figures)
    progress = phase_context(campaign, head.phases, request.GET.get("phase"))
    context = {
        "campaign": campaign,
        "head": head,
        "questionnaire": head.questionnaire,
        **progress,
        "versus": figures.of(compare_with_automatic, campaign, progress["phase"]),
        "links": links_of(campaign),
        "scorers": _scorers(links_of(campaign)),
        "compares": compares_raters(campaign),
        "formats": formats_for(campaign),
    }
    if head.questionnaire.figures:
        context["figures"] = figures.of(campaign_figures, campaign, progress["phase"])
    else:
        context["result"] = figures.of(campaign_result, campaign, progress["phase"])
    return render(request, "annotation/results.html", context)


@require_safe
def human_vs_automatic_file(request: UserRequest, slug: str) -> HttpResponse:
    """Human against automatic decisions, as CSV; `Http404` where there are none."""
    campaign = led_campaign(request, slug)
    phase = requested_phase(request, campaign)
    figures = Figures()
    compared = figures.of(compare_with_automatic, campaign, phase)
    if figures.is_missing:
        return figures.missing_file()
    if compared is None:
        raise Http404
    from annotation.results.human_vs_automatic import csv_text

    audit.record("exported", campaign, what="results")
    return HttpResponse(
        csv_text(compared),
        content_type="text/csv; charset=utf-8",
        headers=download_headers(f"{campaign.slug}-automatic.csv"),
    )


def phase_context(
    campaign: Campaign, phases: list[PhaseProgress], requested: str | None
) -> dict[str, Any]:
    phase = selected_phase(campaign, phases, requested)
    selected = [each for each in phases if phase in {"", each.phase}]
    return {
        "phases": phases,
        "phase": phase,
        "wanted": sum(each.wanted for each in selected),
        "submitted": sum(each.done for each in selected),
    }


def compare_with_automatic(campaign: Campaign, phase: str) -> HumanVsAutomatic | None:
    from annotation.results.human_vs_automatic import human_vs_automatic  # imports NumPy

    return human_vs_automatic(campaign, phase)


def _scorers(links: Sequence[CampaignRun]) -> list[tuple[Scorer, list[int]]]:
    by_name: dict[str, tuple[Scorer, list[int]]] = {}
    for link in links:
        scorer = run_scorer(link.run.config, link.run.versions)
        if scorer is not None:
            by_name.setdefault(str(scorer), (scorer, []))[1].append(link.run_id)
    return list(by_name.values())
