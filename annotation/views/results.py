"""The results so far: of a campaign's overview, and the tab that has all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.campaigns import progress
from annotation.campaigns.progress import PhaseProgress, phases_of, shown_phase
from annotation.exporting import formats_for
from annotation.items.rater_demand import compares_raters
from annotation.items.run_groups import links_of
from annotation.models import Campaign, CampaignRun
from annotation.questionnaires import questionnaire_of
from annotation.results.attribution import CampaignResult, campaign_result
from annotation.results.beside_automatic_files import csv_text
from annotation.results.cache import cached_figure
from annotation.views.campaign_head import campaign_to_lead, head_of
from annotation.views.lookups import led_campaign
from pipeline.engine.scorer_info import Scorer, run_scorer
from rarrweb.http import UserRequest
from rarrweb.streamed import download_headers

if TYPE_CHECKING:
    from annotation.results.beside_automatic import BesideAutomatic


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
        "beside": counted_beside(campaign, counted["phase"]),
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
    found = counted_beside(campaign, shown_phase(campaign, phases, request.GET.get("phase")))
    if found is None:
        raise Http404
    return HttpResponse(
        csv_text(found),
        content_type="text/csv; charset=utf-8",
        headers=download_headers(f"{campaign.slug}-automatic.csv"),
    )


def counted_beside(campaign: Campaign, phase: str) -> BesideAutomatic | None:
    """`beside_automatic`, from the cache where it takes long."""
    from annotation.results.beside_automatic import beside_automatic

    return cached_figure(
        f"beside.{phase}", campaign, lambda: beside_automatic(campaign, phase)
    ).value


def count_work(
    campaign: Campaign, phases: list[PhaseProgress], asked: str | None
) -> dict[str, Any]:
    """The work of the phase that was asked for, counted or from the cache; the campaign is from
    `campaigns_to_lead`.

    For templates/annotation/_phases.html and _result.html. `result` is None for a questionnaire
    that has figures of its own, `counted_at` is None where the figures were counted just now.
    Also `by_rater` (`RaterProgress`).
    """
    phase = shown_phase(campaign, phases, asked)
    by_rater: dict[int, dict[str, Any]] = {}

    def state() -> str:
        by_rater.update(progress.counts_by_rater(campaign))
        settled = (campaign.settled_answers, campaign.settled_last)  # type: ignore[attr-defined]  # annotated
        return f"{by_rater}:{settled}"

    def count() -> tuple[dict[int, dict[str, Any]], CampaignResult | None]:
        # A questionnaire that does not ask about attribution has figures of its own.
        is_own = bool(questionnaire_of(campaign).figures)
        return by_rater, None if is_own else campaign_result(campaign, phase=phase)

    counted = cached_figure(f"results.{phase}", campaign, count, state_of=state)
    shown = [each for each in phases if phase in {"", each.phase}]
    return {
        "phases": phases,
        "phase": phase,
        "wanted": sum(each.wanted for each in shown),
        "submitted": sum(each.done for each in shown),
        "shown_items": sum(each.items for each in shown),
        "by_rater": counted.value[0],
        "result": counted.value[1],
        "counted_at": counted.made_at if counted.stands else None,
    }


def _scorers(links: Sequence[CampaignRun]) -> list[tuple[Scorer, list[int]]]:
    """The models behind the runs' auto-AIS figures, each with the runs that it scored."""
    found: dict[str, tuple[Scorer, list[int]]] = {}
    for link in links:
        scorer = run_scorer(link.run.config, link.run.versions)
        if scorer is not None:
            found.setdefault(str(scorer), (scorer, []))[1].append(link.run_id)
    return list(found.values())
