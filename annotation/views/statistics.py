"""HAGRID's statistics of a campaign's labels."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.charts.statistics import campaign_statistics
from annotation.models import Campaign
from annotation.results.cached_figures import Figures
from annotation.views.campaign_head import campaign_to_lead, head_of, led_campaign
from pipeline.views.dataset_statistics import Statistics
from rarrweb.accounts.http import UserRequest


@require_safe
def statistics(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_to_lead(request, slug)
    _refuse_other_kinds(campaign)
    figures = Figures.of_request(request)
    computed = campaign_statistics(campaign, figures)
    context = {
        "campaign": campaign,
        "head": head_of(campaign, "results", figures),
        "is_missing": computed is None,
        **(computed or Statistics(None, {})).context(reverse("annotation:statistics", args=[slug])),
    }
    return render(request, "annotation/statistics.html", context)


@require_safe
def statistic(request: UserRequest, slug: str, name: str, form: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    _refuse_other_kinds(campaign)
    figures = Figures()
    computed = campaign_statistics(campaign, figures)
    if computed is None:
        return figures.missing_file()
    return computed.file(request, slug, name, form)


def _refuse_other_kinds(campaign: Campaign) -> None:
    if campaign.questionnaire != "answer_quality":
        raise Http404
