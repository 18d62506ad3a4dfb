"""The results so far: of a campaign's overview, and the tab that has all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.campaigns.figures import CampaignWork, campaign_work, people_and_automatic
from annotation.campaigns.progress import PhaseProgress, phases_of, selected_phase
from annotation.exporting import formats_for
from annotation.items.rater_demand import compares_raters
from annotation.items.run_groups import links_of
from annotation.models import Campaign, CampaignRun
from annotation.results.beside_automatic_files import csv_text
from annotation.results.cached_figures import Figures
from annotation.views.campaign_head import campaign_to_lead, head_of, led_campaign
from pipeline.engine.scorer_info import Scorer, run_scorer
from rarrweb.accounts import audit
from rarrweb.accounts.http import UserRequest
from rarrweb.web.streaming import download_headers


@require_safe
@never_cache
def results(request: UserRequest, slug: str) -> HttpResponse:
    """A campaign's figures: overall, and for each system and dataset; and its files."""
    campaign = campaign_to_lead(request, slug)
    figures = Figures.of_request(request)
    head = head_of(campaign, "results", figures)
    counted = count_work(campaign, head.phases, request.GET.get("phase"), figures)
    context = {
        "campaign": campaign,
        "head": head,
        "questionnaire": head.questionnaire,
        **counted,
        "beside": figures.of(people_and_automatic, campaign, counted["phase"]),
        "links": links_of(campaign),
        "scorers": _scorers(links_of(campaign)),
        "compares": compares_raters(campaign),
        "formats": formats_for(campaign),
    }
    return render(request, "annotation/results.html", context)


@require_safe
@never_cache
def beside_automatic_file(request: UserRequest, slug: str) -> HttpResponse:
    """People's answers beside automatic ones, as CSV; `Http404` where there is no figure."""
    campaign = led_campaign(request, slug)
    phases = phases_of([campaign]).get(campaign.pk, []) if campaign.pilot_size else []
    phase = selected_phase(campaign, phases, request.GET.get("phase"))
    figures = Figures()
    found = figures.of(people_and_automatic, campaign, phase)
    if figures.is_missing:
        return figures.missing_file()
    if found is None:
        raise Http404
    audit.record("exported", campaign, what="results")
    return HttpResponse(
        csv_text(found),
        content_type="text/csv; charset=utf-8",
        headers=download_headers(f"{campaign.slug}-automatic.csv"),
    )


def count_work(
    campaign: Campaign, phases: list[PhaseProgress], asked: str | None, figures: Figures
) -> dict[str, Any]:
    """The work of the phase that was asked for.

    For templates/annotation/_phases.html and _said.html. `work` is None if it is missing;
    `by_rater` is what `rater_progress` takes.
    """
    phase = selected_phase(campaign, phases, asked)
    work = figures.of(campaign_work, campaign, phase)
    shown = [each for each in phases if phase in {"", each.phase}]
    return {
        "phases": phases,
        "phase": phase,
        "wanted": sum(each.wanted for each in shown),
        "submitted": sum(each.done for each in shown),
        "shown_items": sum(each.items for each in shown),
        "work": work,
        **(work or CampaignWork(by_rater={}, result=None, figures=[]))._asdict(),
    }


def _scorers(links: Sequence[CampaignRun]) -> list[tuple[Scorer, list[int]]]:
    """The models behind the runs' auto-AIS figures, each with the runs that it scored."""
    found: dict[str, tuple[Scorer, list[int]]] = {}
    for link in links:
        scorer = run_scorer(link.run.config, link.run.versions)
        if scorer is not None:
            found.setdefault(str(scorer), (scorer, []))[1].append(link.run_id)
    return list(found.values())
