"""The statistics of a campaign that judged answers: HAGRID's tables and figures of its labels."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.charts.statistics import STATISTICS
from annotation.models import Campaign
from annotation.results.kept_figures import Shown, shown_figure
from annotation.views.campaign_head import campaign_to_lead, head_of
from annotation.views.counting import still_counting
from annotation.views.lookups import led_campaign
from pipeline.views.dataset_statistics import Statistics
from rarrweb.http import UserRequest


@require_safe
@never_cache
def statistics(request: UserRequest, slug: str) -> HttpResponse:
    """The tables and charts of what raters have said so far."""
    campaign = campaign_to_lead(request, slug)
    found = _statistics(campaign)
    context = {
        "campaign": campaign,
        "head": head_of(campaign, "results"),
        "counted": found,
        **(found.value or Statistics(None, {})).context(
            reverse("annotation:statistics", args=[slug])
        ),
    }
    return render(request, "annotation/statistics.html", context)


@require_safe
@never_cache
def statistic(request: UserRequest, slug: str, name: str, form: str) -> HttpResponse:
    """The file of the tables, or of one chart."""
    found = _statistics(led_campaign(request, slug))
    if found.value is None:
        return still_counting(found)
    return found.value.file(request, f"{slug}{found.of_when}", name, form)


def _refuse_other_kinds(campaign: Campaign) -> None:
    if campaign.questionnaire != "answer_quality":
        raise Http404


def _statistics(campaign: Campaign) -> Shown[Statistics]:
    _refuse_other_kinds(campaign)
    return shown_figure(STATISTICS, campaign)
