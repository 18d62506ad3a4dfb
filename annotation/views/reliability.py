"""How far a campaign's raters agree, and where they do not: for those who lead it."""

from dataclasses import replace

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.checks import has_checks
from annotation.counters import compares_raters
from annotation.counting import Difference, decisive, rank_differences
from annotation.exporting.reading import pseudonym
from annotation.gold import accuracies as accuracies_of
from annotation.guidelines import versions_by_item
from annotation.models import Campaign, Item
from annotation.progress import phases_of, shown_phase
from annotation.questionnaires import questionnaire_of
from annotation.reliability import (
    CampaignReliability,
    campaign_reliability,
    rater_reports,
    state_to_show,
)
from annotation.strata import links_of
from rarrweb.accounts.models import User
from rarrweb.http import UserRequest

PAGE = 25
RATERS = 50
"""On a page of the raters' report."""


@require_safe
@never_cache
def reliability(request: UserRequest, slug: str) -> HttpResponse:
    """The figures and the raters' report: a page, or its fragment for a page that asks again.

    A page that says by `?seen=` which state of the work it shows gets 204 while that holds.
    """
    led = Campaign.objects.led_by(request.user).select_related("checks")
    campaign = get_object_or_404(led, slug=slug)
    state = state_to_show(campaign)
    if request.htmx and request.GET.get("seen") == state:
        return HttpResponse(status=204)
    phases = phases_of([campaign]).get(campaign.pk, []) if campaign.pilot_size else []
    phase = shown_phase(campaign, phases, request.GET.get("phase"))
    found = campaign_reliability(campaign, state=state, phase=phase)
    reports = rater_reports(campaign, state=state)
    people = User.objects.select_related("participation__crowd").in_bulk(list(reports))
    # Not kept with the rest: a right answer that is changed changes it at once.
    accuracies = accuracies_of(campaign) if has_checks(campaign) else {}
    rows = sorted(
        (
            (people[rater], replace(report, gold=accuracies[rater].overall))
            if rater in accuracies
            else (people[rater], report)
            for rater, report in reports.items()
        ),
        key=lambda row: row[0].username.lower(),
    )
    systems = {link.run.system for link in links_of(campaign)}
    context = {
        "campaign": campaign,
        "questionnaire": questionnaire_of(campaign),
        "system": systems.pop() if len(systems) == 1 else "",
        "state": state,
        "has_gold": bool(accuracies),
        "phases": phases,
        "phase": phase,
        "reliability": found,
        "criteria": _with_names(campaign, found),
        "reliability_address": (
            f"{reverse('annotation:reliability', args=[slug])}?phase={phase or 'all'}&raters="
        ),
        "reports": Paginator(rows, RATERS).get_page(request.GET.get("raters")),
    }
    template = "_reliability" if request.htmx else "reliability"
    return render(request, f"annotation/{template}.html", context)


def _with_names(campaign: Campaign, found: CampaignReliability) -> list[dict[str, object]]:
    """Each criterion with its pairs, whose raters go by the names that exports give them."""
    return [
        {
            "found": each,
            "pairs": [
                {
                    "one": pseudonym(campaign, pair.one),
                    "other": pseudonym(campaign, pair.other),
                    "kappa": pair.kappa,
                }
                for pair in each.pairs
            ],
        }
        for each in found.criteria
    ]


@require_safe
@never_cache
def differences(request: UserRequest, slug: str) -> HttpResponse:
    """Where raters differ: items, those with the greatest share of differing answers first."""
    campaign = get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
    criteria = decisive(questionnaire_of(campaign))
    rows: list[Difference] = []
    total = 0
    number = request.GET.get("page", "")
    asked = max(int(number), 1) if number.isdecimal() and len(number) < 7 else 1
    if compares_raters(campaign) and criteria:
        offset = (asked - 1) * PAGE
        rows, total = rank_differences(campaign, criteria, offset=offset, limit=PAGE)
        if not rows and asked > 1:  # a page that is there no more
            asked = 1
            rows, total = rank_differences(campaign, criteria, limit=PAGE)
    # Only for its numbers: the rows themselves came from the database, sorted.
    page = Paginator(range(total), PAGE).get_page(asked)
    nouns = {criterion.noun for criterion in criteria}
    items = Item.objects.only("position", "side", "text").in_bulk([row.item for row in rows])
    read = versions_by_item(campaign, list(items))
    return render(
        request,
        "annotation/differences.html",
        {
            "campaign": campaign,
            "compares": compares_raters(campaign),
            "rows": [
                {"item": items[row.item], "difference": row, "guidelines": read.get(row.item, [])}
                for row in rows
            ],
            "page": page,
            "total": total,
            "noun": nouns.pop() if len(nouns) == 1 else "answer",
        },
    )
