"""A campaign's charts: the page of all of them, and their files."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.campaigns.progress import phases_of, shown_phase
from annotation.charts.registry import campaign_chart, charts_of, state_of_charts
from annotation.models import Campaign
from annotation.views.campaign_head import campaign_to_lead, head_of
from annotation.views.lookups import led_campaign
from pipeline.pages.charts import ShownChart
from pipeline.views.charts import chart_response
from rarrweb.http import UserRequest


@require_safe
@never_cache
def charts(request: UserRequest, slug: str) -> HttpResponse:
    """All charts of a campaign, of the phase that is asked for."""
    campaign = campaign_to_lead(request, slug)
    head = head_of(campaign, "results")
    phase = shown_phase(campaign, head.phases, request.GET.get("phase"))
    context = {
        "campaign": campaign,
        "head": head,
        "phases": head.phases,
        "phase": phase,
        "charts": _shown_charts(campaign, phase),
    }
    return render(request, "annotation/charts.html", context)


def _shown_charts(campaign: Campaign, phase: str) -> list[ShownChart]:
    """The campaign's charts, in the order of the registry."""
    state = state_of_charts(campaign)
    return [
        ShownChart(
            name=plan.name,
            title=plan.title,
            waits=plan.waits,
            chart=campaign_chart(campaign, plan.name, phase=phase, state=state),
            address=f"{reverse('annotation:charts', args=[campaign.slug])}{plan.name}",
            query="&" + urlencode({"phase": phase or "all"}),
        )
        for plan in charts_of(campaign)
    ]


@require_safe
@never_cache
def chart(request: UserRequest, slug: str, name: str, form: str) -> HttpResponse:
    """One chart's file."""
    campaign = led_campaign(request, slug)
    phases = phases_of([campaign]).get(campaign.pk, []) if campaign.pilot_size else []
    phase = shown_phase(campaign, phases, request.GET.get("phase"))
    try:
        state = state_of_charts(campaign)
        found = campaign_chart(campaign, name, phase=phase, state=state)
    except KeyError:
        raise Http404 from None
    return chart_response(request, found, f"{campaign.slug}-{name}", form)
