"""The tabs of one campaign, except results."""

from collections import Counter
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, F, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.adjudication import cases
from annotation.adjudication.cases import adjudicated_by
from annotation.campaigns import progress
from annotation.campaigns.progress import assigned_campaigns
from annotation.items.ordering import order_in_words
from annotation.items.rater_demand import compares_raters
from annotation.items.run_groups import links_of
from annotation.models import Campaign, Crowd, Item, Membership
from annotation.quality_control import claim_rules, gold_items
from annotation.questionnaires import questionnaire_of
from annotation.raters import consent
from annotation.results.attribution import campaign_result
from annotation.results.by_questionnaire import campaign_figures
from annotation.results.cached_figures import FigureCache
from annotation.views.campaign_head import campaign_to_lead, campaigns_to_lead, head_of
from annotation.views.results import phase_context
from rarrweb.accounts.http import UserRequest

PAGE = 25
MAX_RATERS = 5
"""The most active ones, on the overview."""
HOUR_MS = 3_600_000


@require_safe
def overview(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaigns_to_lead(request).filter(slug=slug).first()
    if campaign is None:
        return _rater_page(request, slug)
    cache = FigureCache.of_request(request)
    head = head_of(campaign, "campaign", cache)
    context = {"campaign": campaign, "head": head}
    if not campaign.is_draft:
        progress_context = phase_context(campaign, head.phases, request.GET.get("phase"))
        work = cache.get(_work_in_short, campaign, progress_context["phase"])
        counts, rows, what = work or ({}, [], "")
        rows = [row for row in rows if row["estimate"]]
        numbers = {row["estimate"].n for row in rows}
        notes = (row["estimate"].note for row in rows if row["estimate"].low is None)
        is_waiting = claim_rules.is_waiting(campaign)
        members = list(progress.members(campaign).annotate(is_waiting=is_waiting))
        raters = progress.rater_progress(members, counts)
        context |= progress_context | {
            "is_counted": work is not None,
            "in_progress": sum(rater.held for rater in raters),
            "skipped": sum(rater.skipped for rater in raters),
            "late": sum(rater.late for rater in raters),
            "rows": rows if progress_context["submitted"] else [],
            "rows_are": what,
            "no_interval": next(notes, ""),
            "shared_n": rows[0]["estimate"].n if len(numbers) == 1 else 0,
            "active_hours": sum(rater.active_ms for rater in raters) / HOUR_MS,
            "raters": sorted(raters, key=lambda rater: -rater.submitted)[:MAX_RATERS],
            "compares": compares_raters(campaign, progress_context["phase"]),
            "waiting_raters": sum(
                each.is_waiting for each in members if each.role == Membership.Role.ANNOTATOR
            ),
        }
    return render(request, "annotation/campaign.html", context)


def _rater_page(request: UserRequest, slug: str) -> HttpResponse:
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), slug=slug)
    assigned = assigned_campaigns(request.user, [campaign])
    context = {
        "campaign": campaign,
        "own": assigned[0] if assigned else None,
        "may_adjudicate": adjudicated_by(request.user).filter(pk=campaign.pk).exists(),
    }
    return render(request, "annotation/assigned_campaign.html", context)


def _work_in_short(
    campaign: Campaign, phase: str
) -> tuple[dict[int, dict[str, Any]], list[dict[str, Any]], str]:
    """Return counts by rater, results, and what they are of: "system", "side" or "figure".

    The color of a result's mark is `c1` to `c5`, or `c0` for the original.
    """
    counts = progress.counts_by_rater(campaign)
    if questionnaire_of(campaign).figures:
        rows = [
            {
                "label": each.label,
                "estimate": each.estimate,
                "color": "c1",
                "is_share": each.is_share,
            }
            for each in campaign_figures(campaign, phase)
        ]
        return counts, rows, "figure"
    tables = campaign_result(campaign, phase).tables
    rows = [
        {
            "label": _label(each.group.label if each.group else "", side.side, len(each.sides) > 1),
            "estimate": side.attribution,
            "color": "c0" if side.side == Item.Side.BEFORE else f"c{number % 5 + 1}",
            "is_share": True,
        }
        for number, each in enumerate(tables.get("system", tables[""]))
        for side in each.sides
    ]
    return counts, rows, "system" if "system" in tables else "side"


def _label(system: str, side: str, several: bool) -> str:
    if not system:
        return side.capitalize()
    return f"{system}, {side}" if several else system


LABELS = {
    "open": "Open",
    "begun": "Partly judged",
    "complete": "Complete",
    "checks": "Training and gold",
    "split": "To adjudicate",
}
"""Filters of items."""
OPEN = Q(done__lt=F("wanted"))
STATES = {
    "open": OPEN & Q(done=0),
    "begun": OPEN & Q(done__gt=0),
    "complete": Q(done__gte=F("wanted")),
}
"""Training and gold items have none."""


@require_safe
def items(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_to_lead(request, slug)
    head = head_of(campaign, "items", FigureCache.of_request(request))
    counts = _count_states(campaign) | {"split": head.split or 0}
    state = request.GET.get("state", "")
    state = state if state in LABELS else ""
    chosen = _of_state(campaign, state).defer("evidence", "context", "citations")
    # Positions first, from an index; then these rows' columns.
    paginator = Paginator(chosen.order_by("position").values_list("position", flat=True), PAGE)
    paginator.count = counts[state] if state else campaign.item_count
    if state == "split" and head.split is None:
        paginator.count = len(chosen[:PAGE])
    page = paginator.get_page(request.GET.get("page"))
    here = chosen.filter(position__in=list(page)).order_by("position")
    here = here.annotate(run=F("revision__run"))
    of_run = {link.run_id: link for link in links_of(campaign)}
    sharing = Item.objects.filter(shared_with__in=list(here)).values_list("shared_with", flat=True)
    others = Counter(sharing if campaign.shared_count else ())
    context = {
        "campaign": campaign,
        "head": head,
        "links": links_of(campaign),
        "page": page,
        "items": [
            {"item": item, "link": of_run[item.run], "others": others[item.pk]} for item in here
        ],
        "state": state,
        "states": [
            {"name": name, "label": label, "count": counts[name]}
            for name, label in LABELS.items()
            if counts[name] or name == state
        ],
        "order": order_in_words(campaign),
    }
    return render(request, "annotation/campaign_items.html", context)


def _of_state(campaign: Campaign, state: str) -> QuerySet[Item]:
    if state == "split":
        return cases.waiting(campaign)
    if state == "checks":
        return campaign.items.exclude(use="")
    judged = campaign.items.filter(position__lte=campaign.item_count)  # others share answers
    return judged.filter(STATES[state], use="") if state else judged


def _count_states(campaign: Campaign) -> dict[str, int]:
    """Count items by state, with two queries that an index covers each."""

    def counted(items: QuerySet[Item]) -> dict[str, int]:
        states = {name: Count("done", filter=rows) for name, rows in STATES.items()}
        return items.order_by().aggregate(**states)

    in_use = counted(campaign.items.exclude(use=""))
    everything = counted(campaign.items.all())
    judged = {name: everything[name] - in_use[name] for name in STATES}
    judged["complete"] -= campaign.shared_count  # these want no rater
    return judged | {"checks": sum(in_use.values())}


@require_safe
def raters(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_to_lead(request, slug)
    members = list(progress.members(campaign))
    # Not cached: a changed reference answer counts at once.
    gold = gold_items.accuracies(campaign) if claim_rules.has_checks(campaign) else {}
    rows = progress.rater_progress(members, progress.counts_by_rater(campaign))
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "head": head_of(campaign, "raters", FigureCache.of_request(request)),
        "rows": [
            {"rater": rater, "gold": gold[rater.user.pk].overall if rater.user.pk in gold else None}
            for rater in page.object_list
        ],
        "page": page,
        "has_gold": bool(gold),
        "adjudicators": [each for each in members if each.role == Membership.Role.ADJUDICATOR],
    }
    return render(request, "annotation/campaign_raters.html", context)


@require_safe
def settings(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_to_lead(request, slug)
    head = head_of(campaign, "campaign-settings", FigureCache.of_request(request))
    options = [each for each in head.questionnaire.options if each.name in campaign.options]
    context = {
        "campaign": campaign,
        "head": head,
        "questionnaire": head.questionnaire,
        "options": options,
        "order": order_in_words(campaign),
        "links": links_of(campaign),
        "consent": consent.current_text(campaign),
        "crowd": Crowd.objects.filter(campaign=campaign).first(),
        "in_use": campaign.items.exclude(use="").count(),
    }
    return render(request, "annotation/campaign_settings.html", context)
