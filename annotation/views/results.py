"""The results so far: of a campaign's overview, and the tab that has all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.campaigns.figures import BESIDE_AUTOMATIC, WORK, WorkSoFar
from annotation.campaigns.progress import PhaseProgress, phases_of, shown_phase
from annotation.exporting import formats_for
from annotation.items.rater_demand import compares_raters
from annotation.items.run_groups import links_of
from annotation.models import Campaign, CampaignRun
from annotation.results.beside_automatic_files import csv_text
from annotation.results.kept_figures import Shown, shown_figure
from annotation.views.campaign_head import campaign_to_lead, head_of
from annotation.views.counting import still_counting
from annotation.views.lookups import led_campaign
from pipeline.engine.scorer_info import Scorer, run_scorer
from rarrweb.accounts import audit
from rarrweb.http import UserRequest
from rarrweb.streamed import download_headers


@require_safe
@never_cache
def results(request: UserRequest, slug: str) -> HttpResponse:
    """A campaign's figures: overall, and for each system and dataset; and its files."""
    campaign = campaign_to_lead(request, slug)
    head = head_of(campaign, "results")
    counted = count_work(campaign, head.phases, request.GET.get("phase"))
    context = {
        "campaign": campaign,
        "head": head,
        "questionnaire": head.questionnaire,
        **counted,
        "beside": shown_figure(BESIDE_AUTOMATIC, campaign, phase=counted["phase"]),
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
    phase = shown_phase(campaign, phases, request.GET.get("phase"))
    found = shown_figure(BESIDE_AUTOMATIC, campaign, phase=phase)
    if found.is_counting:
        return still_counting(found)
    if found.value is None:
        raise Http404
    audit.record("exported", campaign, what="results")
    return HttpResponse(
        csv_text(found.value),
        content_type="text/csv; charset=utf-8",
        headers=download_headers(f"{campaign.slug}-automatic{found.of_when}.csv"),
    )


def count_work(
    campaign: Campaign, phases: list[PhaseProgress], asked: str | None
) -> dict[str, Any]:
    """The work of the phase that was asked for, as far as it is counted.

    For templates/annotation/_phases.html and _said.html. `counted` is the `Shown` of all three:
    `result`, None for a questionnaire that has `figures` of its own, and `by_rater`, which
    `rater_progress` takes.
    """
    phase = shown_phase(campaign, phases, asked)
    counted: Shown[WorkSoFar] = shown_figure(WORK, campaign, phase=phase)
    work = counted.value or WorkSoFar(by_rater={}, result=None, figures=[])
    shown = [each for each in phases if phase in {"", each.phase}]
    return {
        "phases": phases,
        "phase": phase,
        "wanted": sum(each.wanted for each in shown),
        "submitted": sum(each.done for each in shown),
        "shown_items": sum(each.items for each in shown),
        **work._asdict(),
        "counted": counted,
    }


def _scorers(links: Sequence[CampaignRun]) -> list[tuple[Scorer, list[int]]]:
    """The models behind the runs' auto-AIS figures, each with the runs that it scored."""
    found: dict[str, tuple[Scorer, list[int]]] = {}
    for link in links:
        scorer = run_scorer(link.run.config, link.run.versions)
        if scorer is not None:
            found.setdefault(str(scorer), (scorer, []))[1].append(link.run_id)
    return list(found.values())
