"""A campaign's results so far, and the reliability of its raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from annotation.campaigns.progress import PhaseProgress, phases_of, selected_phase
from annotation.exporting.context import pseudonym
from annotation.guidelines.versions import versions_by_item
from annotation.items.rater_demand import compares_raters
from annotation.items.run_groups import links_of
from annotation.models import Campaign, CampaignRun, Item
from annotation.quality_control.claim_rules import has_checks
from annotation.quality_control.gold_items import accuracies as accuracies_of
from annotation.questionnaires import questionnaire_of
from annotation.results.attribution import campaign_result
from annotation.results.by_questionnaire import MeanTable, campaign_figures
from annotation.results.cached_figures import FigureCache
from annotation.results.joined_revisions import JOINED
from annotation.results.manual_runs import manual_runs
from annotation.results.reliability import CampaignReliability, campaign_reliability, rater_reports
from annotation.results.tallies import ItemDisagreement, rank_disagreements
from annotation.views.campaign_head import (
    campaign_to_lead,
    head_of,
    led_campaign,
    requested_phase,
)
from pipeline.engine.scorer_info import Scorer, run_scorer
from pipeline.runs.start import RunRefused
from rarrweb.accounts import audit
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.models import User
from rarrweb.web.streaming import download_headers

if TYPE_CHECKING:
    from annotation.results.human_vs_automatic import HumanVsAutomatic


@require_safe
def results(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_to_lead(request, slug)
    cache = FigureCache.of_request(request)
    head = head_of(campaign, "results", cache)
    progress = phase_context(campaign, head.phases, request.GET.get("phase"))
    context = {
        "campaign": campaign,
        "head": head,
        "questionnaire": head.questionnaire,
        **progress,
        "versus": cache.get(compare_with_automatic, campaign, progress["phase"]),
        "links": links_of(campaign),
        "scorers": _scorers(links_of(campaign)),
        "compares": compares_raters(campaign),
        "joined": JOINED,
    }
    if head.questionnaire.figures:
        figures = cache.get(campaign_figures, campaign, progress["phase"])
        context["figures"] = MeanTable(columns=figures) if figures else None
    else:
        context["result"] = cache.get(campaign_result, campaign, progress["phase"])
    return render(request, "annotation/results.html", context)


@require_POST
def make_manual_runs(request: UserRequest, slug: str) -> HttpResponse:
    """Make the runs of a closed campaign's manual revisions."""
    campaign = led_campaign(request, slug)
    try:
        runs = manual_runs(campaign, created_by=request.user)
    except RunRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("annotation:results", slug)
    return redirect(runs[0] if len(runs) == 1 else "pipeline:runs")


@require_safe
def human_vs_automatic_file(request: UserRequest, slug: str) -> HttpResponse:
    """Human against automatic decisions, as CSV; `Http404` where there are none."""
    campaign = led_campaign(request, slug)
    phase = requested_phase(request, campaign)
    cache = FigureCache()
    compared = cache.get(compare_with_automatic, campaign, phase)
    if cache.is_missing:
        return cache.unavailable_response()
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


PAGE = 25
SHOWS = ("figures", "raters")
"""Parts that a fragment may have."""
RATERS = 50
"""On a page of the report."""


@require_safe
def reliability(request: UserRequest, slug: str) -> HttpResponse:
    """Display figures and the raters' report; htmx gets a fragment, of one part by `show`."""
    campaign = led_campaign(request, slug, "checks")
    requested = request.GET.get("show", "")
    show = requested if request.htmx and requested in SHOWS else ""
    phases = phases_of([campaign]).get(campaign.pk, []) if campaign.pilot_size else []
    phase = selected_phase(campaign, phases, request.GET.get("phase"))
    cache = FigureCache.of_request(request)
    report = CampaignReliability(why_missing="")
    if show != "raters":
        report = cache.get(campaign_reliability, campaign, phase) or report
    of_raters = None if show == "figures" else cache.get(rater_reports, campaign)
    reports = dict(of_raters or {})
    people = User.objects.select_related("participation").in_bulk(list(reports))
    # Not cached: a changed reference answer counts at once.
    accuracies = accuracies_of(campaign) if has_checks(campaign) else {}
    for rater in accuracies.keys() & reports.keys():
        reports[rater] = replace(reports[rater], gold=accuracies[rater].overall)
    rows = [(people[rater], report) for rater, report in reports.items()]
    rows.sort(key=lambda row: row[0].username.lower())
    systems = {link.run.system for link in links_of(campaign)}
    context = {
        "campaign": campaign,
        "questionnaire": questionnaire_of(campaign),
        "system": systems.pop() if len(systems) == 1 else "",
        "has_gold": bool(accuracies),
        "phases": phases,
        "phase": phase,
        "show": show,
        "reliability": report,
        "figure_cache": cache,
        "reports_are_missing": of_raters is None,
        "criteria": _with_names(campaign, report),
        "not_compared": [
            each.criterion for each in report.criteria if not each.groups[0].report.raw.targets
        ],
        "reliability_address": (
            f"{reverse('annotation:reliability', args=[slug])}"
            f"?phase={phase or 'all'}&show={show}&raters="
        ),
        "reports": Paginator(rows, RATERS).get_page(request.GET.get("raters")),
    }
    template = "_reliability" if request.htmx else "reliability"
    return render(request, f"annotation/{template}.html", context)


def _with_names(campaign: Campaign, report: CampaignReliability) -> list[dict[str, object]]:
    """Return each compared criterion with its pairs of raters under pseudonyms."""
    return [
        {
            "found": each,
            "alpha": each.alpha(each.groups[0].report),
            "pairs": [
                {
                    "one": pseudonym(campaign, pair.one),
                    "other": pseudonym(campaign, pair.other),
                    "kappa": pair.kappa,
                }
                for pair in each.pairs
            ],
        }
        for each in report.criteria
        if each.groups[0].report.raw.targets
    ]


@require_safe
def summary(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    phase = requested_phase(request, campaign)
    cache = FigureCache.of_request(request)
    computed = cache.get(campaign_reliability, campaign, phase)
    reliability = computed or CampaignReliability(why_missing="")
    first = questionnaire_of(campaign).result_criterion
    criteria = sorted(reliability.criteria, key=lambda each: each.criterion.name != first)
    context: dict[str, object] = {
        "campaign": campaign,
        "figure_cache": cache,
        "phase": phase,
        "why_missing": reliability.why_missing,
    }
    if criteria:
        criterion, report = criteria[0].criterion, criteria[0].groups[0].report
        context |= {"criterion": criterion, "alpha": criteria[0].alpha(report), "raw": report.raw}
    return render(request, "annotation/_reliability_summary.html", context)


@require_safe
def differences(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    criteria = questionnaire_of(campaign).decisive_criteria()
    rows: list[ItemDisagreement] = []
    total = 0
    number = request.GET.get("page", "")
    page_number = max(int(number), 1) if number.isdecimal() and len(number) < 7 else 1
    if compares_raters(campaign) and criteria:
        offset = (page_number - 1) * PAGE
        rows, total = rank_disagreements(campaign, criteria, offset=offset, limit=PAGE)
        if not rows and page_number > 1:  # the page no longer exists
            page_number = 1
            rows, total = rank_disagreements(campaign, criteria, limit=PAGE)
    # Only for page numbers: the database has sorted and cut the rows.
    page = Paginator(range(total), PAGE).get_page(page_number)
    nouns = {criterion.noun for criterion in criteria}
    items = Item.objects.only("position", "side", "text").in_bulk([row.item for row in rows])
    read = versions_by_item(campaign, list(items))
    context = {
        "campaign": campaign,
        "compares": compares_raters(campaign),
        "rows": [
            {"item": items[row.item], "difference": row, "guidelines": read.get(row.item, [])}
            for row in rows
        ],
        "page": page,
        "total": total,
        "noun": nouns.pop() if len(nouns) == 1 else "answer",
    }
    return render(request, "annotation/differences.html", context)
