"""The queue of items on which raters differ, and the page of one item."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.adjudication import cases
from annotation.adjudication.cases import AdjudicationItem, adjudicated_by, adjudicated_items
from annotation.adjudication.forms import AdjudicationForm
from annotation.campaigns.stages import stages_of
from annotation.judging.item_page import displayed_evidence
from annotation.models import AdjudicationOpening, Assignment, Campaign, Item
from annotation.models.campaigns import CampaignQuerySet
from annotation.questionnaires import questionnaire_of
from annotation.results.cached_figures import FigureCache
from rarrweb.accounts.http import UserRequest

PAGE = 25


@require_safe
def queue(request: UserRequest) -> HttpResponse:
    campaigns = adjudicated_by(request.user).with_overlap()
    slug = request.GET.get("campaign")
    cache = FigureCache.of_request(request)
    if not slug:
        rows = _by_waiting(campaigns, cache)
        of_campaigns = Paginator(rows, PAGE).get_page(request.GET.get("page"))
        stages = stages_of([each for each, _split in of_campaigns], cache)
        waiting_items = {
            "page": of_campaigns,
            "rows": [(each, split, stages[each.pk]) for each, split in of_campaigns],
            "figure_cache": cache,
        }
        return render(request, "annotation/adjudication_campaigns.html", waiting_items)
    campaign = get_object_or_404(campaigns, slug=slug)
    if "start" in request.GET and (first := cases.waiting(campaign).first()):
        return redirect("annotation:adjudicate", first.pk)
    is_settled = request.GET.get("show") == "adjudicated"
    items = adjudicated_items(campaign) if is_settled else cases.waiting(campaign)
    paginator = Paginator(items.only("position", "text"), PAGE)
    majority_count = 0
    if not is_settled:
        # While the number is missing there is one page, without counting.
        count = cache.get(cases.count_waiting, campaign)
        paginator.count = len(items[:PAGE]) if count is None else count
        majority_count = cache.get(cases.count_single_dissents, campaign) or 0
    when = _time(request.GET.get("accepted"))
    accepted = cases.accepted_at(campaign, by=request.user, when=when) if when else None
    page = paginator.get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "page": page,
        "next": None if page.object_list or is_settled else _next(campaigns, campaign, cache),
        "is_settled": is_settled,
        "majority_count": majority_count,
        "figure_cache": cache,
        "accepted": request.GET.get("accepted"),
        "accepted_count": accepted.values("item").distinct().count() if accepted else 0,
    }
    return render(request, "annotation/adjudication_queue.html", context)


def _by_waiting(
    campaigns: CampaignQuerySet, cache: FigureCache
) -> list[tuple[Campaign, int | None]]:
    decidable = [each for each in campaigns if cases.criteria_of(each)]
    split = cases.waiting_counts(decidable, cache)
    rows = ((each, split.get(each.pk, 0)) for each in decidable)
    return sorted(rows, key=lambda row: row[1] or 0, reverse=True)


def _next(
    campaigns: CampaignQuerySet, done: Campaign, cache: FigureCache
) -> tuple[Campaign, int | None] | None:
    rows = _by_waiting(campaigns.exclude(pk=done.pk), cache)
    return rows[0] if rows and rows[0][1] else None


@require_POST
def accept_majority(request: UserRequest, slug: str) -> HttpResponse:
    """Adjudicate every item on which all raters but one agree; `undo` reverts that."""
    campaign = get_object_or_404(adjudicated_by(request.user).with_overlap(), slug=slug)
    address = f"{reverse('annotation:adjudications')}?campaign={slug}"
    if undone := _time(request.POST.get("undo")):
        cases.accepted_at(campaign, by=request.user, when=undone).delete()
        return redirect(address)
    when = cases.accept_majority(campaign, by=request.user)
    return redirect(f"{address}&{urlencode({'accepted': when.isoformat()})}")


def _time(given: str | None) -> datetime | None:
    try:
        when = datetime.fromisoformat(given or "")
    except ValueError:
        return None
    return when if when.tzinfo else None


@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate(request: UserRequest, item_id: int) -> HttpResponse:
    allowed = adjudicated_by(request.user)
    judged = Assignment.objects.filter(item=OuterRef("pk"), rater_id=request.user.pk)
    opened = AdjudicationOpening.objects.filter(item=OuterRef("pk"), user_id=request.user.pk)
    items = Item.objects.filter(campaign__in=allowed, shared_with=None).select_related("campaign")
    items = items.annotate(judged_it=Exists(judged), is_opened=Exists(opened))
    item = get_object_or_404(items, pk=item_id)
    is_opened: bool = item.is_opened  # type: ignore[attr-defined]  # annotated
    if not is_opened and not cases.admit(item, request.user):
        raise Http404
    everything = "all" in request.GET
    case = cases.open_case(item, include_unanimous=everything)
    form = AdjudicationForm(request.POST or None, item=item, case=case)
    if request.method == "POST" and form.is_valid():
        try:
            cases.save_adjudication(
                item, by=request.user, answers=form.answers(), seen=request.POST.get("seen", "")
            )
        except cases.ConcurrentAdjudication as error:
            messages.error(request, str(error))
            return redirect(request.get_full_path())
        messages.success(request, f"Item {item.position:,} is saved.")
        following = cases.next_waiting(item)
        if following is not None:
            return redirect("annotation:adjudicate", following.pk)
        return redirect(f"{reverse('annotation:adjudications')}?campaign={item.campaign.slug}")
    about = ["The evidence says so.", "No evidence says so.", "The evidence says otherwise."]
    quick = ["Rater error.", "The instructions decide it."]
    context = {
        "item": item,
        "campaign": item.campaign,
        "left": FigureCache.of_request(request).get(cases.count_waiting, item.campaign),
        "following": cases.next_waiting(item),
        "quick_reasons": [*about, *quick] if item.evidence else quick,
        "most_levels": max((len(each.levels) for each in case.criteria), default=0),
        "questionnaire": questionnaire_of(item.campaign),
        "case": case,
        "form": form,
        "rows": _rows(item, case, form),
        "snippets": [displayed_evidence(each) for each in item.evidence],
        "comments": [rater for rater in case.raters if rater.comment],
        "everything": everything,
        "judged_it": item.judged_it,  # type: ignore[attr-defined]  # annotated
    }
    return render(request, "annotation/adjudicate.html", context)


def _rows(item: Item, case: AdjudicationItem, form: AdjudicationForm) -> list[dict[str, Any]]:
    """Return the targets, each with raters' answers and with fields if they differ."""
    rows: list[dict[str, Any]] = []
    for criterion, target in case.displayed_targets(item):
        key = (criterion.name, target)
        is_open = case.is_open(key)
        value, reason = form.fields_of(key) if is_open else (None, None)
        given = {each.answers.get(key) for each in case.raters}
        agreed = given.pop() if not case.differs(key) and len(given) == 1 else None
        rows.append(
            {
                "title": criterion.target_title(target, named=len(case.criteria) > 1),
                "text": criterion.target_text(item, target),
                "agreed": None if agreed is None else criterion.level(agreed),
                "answers": [
                    (each.number, criterion.level(each.answers[key]))
                    if key in each.answers
                    else (each.number, None)
                    for each in case.raters
                ],
                "settled": case.adjudicated.get(key),
                "value": value,
                "reason": reason,
            }
        )
    return rows
