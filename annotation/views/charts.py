from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from annotation.campaigns.progress import selected_phase
from annotation.charts.registry import (
    campaign_chart,
    campaign_charts,
    campaign_statistics,
    charts_of,
)
from annotation.models import Campaign
from annotation.results.cached_figures import FigureCache
from annotation.views.campaign_head import (
    campaign_to_lead,
    head_of,
    led_campaign,
    requested_phase,
)
from pipeline.views.charts import chart_response
from pipeline.views.datasets import Statistics
from rarrweb.accounts.http import UserRequest


@require_safe
def charts(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_to_lead(request, slug)
    cache = FigureCache.of_request(request)
    head = head_of(campaign, "results", cache)
    phase = selected_phase(campaign, head.phases, request.GET.get("phase"))
    made = cache.get(campaign_charts, campaign, phase, always_cached=True)
    folder = reverse("annotation:charts", args=[campaign.slug])
    query = "&" + urlencode({"phase": phase or "all"})
    context = {
        "campaign": campaign,
        "head": head,
        "phases": head.phases,
        "phase": phase,
        "is_missing": made is None,
        "charts": [
            plan.on_page(made[plan.name], folder=folder, query=query)
            for plan in charts_of(campaign)
            if made is not None
        ],
    }
    return render(request, "annotation/charts.html", context)


@require_safe
def chart(request: UserRequest, slug: str, name: str, form: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    phase = requested_phase(request, campaign)
    cache = FigureCache()
    try:
        made = campaign_chart(campaign, name, phase, cache)
    except KeyError:
        raise Http404 from None
    if cache.is_missing:
        return cache.unavailable_response()
    return chart_response(request, made, f"{campaign.slug}-{name}", form)


@require_safe
def statistics(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_to_lead(request, slug)
    _refuse_other_kinds(campaign)
    cache = FigureCache.of_request(request)
    computed = cache.get(campaign_statistics, campaign)
    context = {
        "campaign": campaign,
        "head": head_of(campaign, "results", cache),
        "is_missing": computed is None,
        **(computed or Statistics(None, {})).context(reverse("annotation:statistics", args=[slug])),
    }
    return render(request, "annotation/statistics.html", context)


@require_safe
def statistic(request: UserRequest, slug: str, name: str, form: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    _refuse_other_kinds(campaign)
    cache = FigureCache()
    computed = cache.get(campaign_statistics, campaign)
    if computed is None:
        return cache.unavailable_response()
    return computed.file(request, slug, name, form)


def _refuse_other_kinds(campaign: Campaign) -> None:
    if campaign.questionnaire != "answer_quality":
        raise Http404
