"""Settling what raters differ about: the queue, and an item side by side."""

from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.forms import BoundField
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.adjudicating import (
    Case,
    SettledMeanwhile,
    adjudicated_by,
    next_waiting,
    open_case,
    settle,
    settled_items,
    waiting,
)
from annotation.adjudication_form import AdjudicationForm, reason_name, value_name
from annotation.keeping import kept
from annotation.models import Adjudication, Assignment, Item
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Level
from annotation.showing import web_address
from annotation.targets import target_text, target_title
from rarrweb.http import UserRequest

PAGE = 25


@require_safe
@never_cache
def queue(request: UserRequest) -> HttpResponse:
    """The campaigns in which one may settle; with `?campaign=` the items that wait in it."""
    campaigns = adjudicated_by(request.user).comparing()
    slug = request.GET.get("campaign")
    if not slug:
        page = Paginator(campaigns, PAGE).get_page(request.GET.get("page"))
        return render(request, "annotation/adjudication_campaigns.html", {"page": page})
    campaign = get_object_or_404(campaigns, slug=slug)
    is_settled = request.GET.get("show") == "settled"
    items = settled_items(campaign) if is_settled else waiting(campaign)
    paginator = Paginator(items.only("position", "text"), PAGE)
    if not is_settled:
        # Whether raters differ is asked of every item: too slow to count at each look.
        paginator.count = kept("waiting", campaign, items.count).value
    page = paginator.get_page(request.GET.get("page"))
    return render(
        request,
        "annotation/adjudication_queue.html",
        {"campaign": campaign, "page": page, "is_settled": is_settled},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def adjudicate(request: UserRequest, item_id: int) -> HttpResponse:
    """One item: what its raters said, beside each other and without names; settle it."""
    allowed = adjudicated_by(request.user)
    item = get_object_or_404(
        Item.objects.filter(campaign__in=allowed).select_related("campaign"), pk=item_id
    )
    case = open_case(item)
    form = AdjudicationForm(request.POST or None, item=item, case=case)
    if request.method == "POST" and form.is_valid():
        seen = request.POST.get("seen", "")
        try:
            settle(item, by=request.user, answers=form.answers(), seen=seen)
        except SettledMeanwhile as error:
            messages.error(request, str(error))
            return redirect("annotation:adjudicate", item.pk)
        messages.success(
            request,
            gettext("Item %(number)s is saved as you settled it.")
            % {"number": number_format(item.position, force_grouping=True)},
        )
        following = next_waiting(item)
        if following is not None:
            return redirect("annotation:adjudicate", following.pk)
        return redirect(f"{reverse('annotation:adjudications')}?campaign={item.campaign.slug}")
    judged_it = Assignment.objects.filter(item=item, rater_id=request.user.pk).exists()
    context = {
        "item": item,
        "campaign": item.campaign,
        "questionnaire": questionnaire_of(item.campaign),
        "case": case,
        "form": form,
        "rows": _rows(item, case, form),
        "snippets": _snippets(item),
        "comments": [rater for rater in case.raters if rater.comment],
        "judged_it": judged_it,
    }
    return render(request, "annotation/adjudicate.html", context)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One target: what it is, what each rater said, and the fields that settle it."""

    title: str
    text: str
    said: tuple[tuple[int, Level | None], ...]
    """Each rater's number and answer; None for no answer."""
    settled: Adjudication | None
    value: BoundField | None
    """None where raters agree and nothing is settled."""
    reason: BoundField | None


def _rows(item: Item, case: Case, form: AdjudicationForm) -> list[Row]:
    rows = []
    for criterion in case.criteria:
        asked = set(criterion.asked(item))
        for target in range(criterion.target_count(item)):
            key = (criterion.name, target)
            is_open = case.is_open(key)
            if not is_open and target not in asked:
                continue
            said = tuple(
                (
                    rater.number,
                    criterion.level(rater.answers[key]) if key in rater.answers else None,
                )
                for rater in case.raters
            )
            rows.append(
                Row(
                    title=target_title(criterion, target, named=len(case.criteria) > 1),
                    text=target_text(item, criterion, target),
                    said=said,
                    settled=case.settled.get(key),
                    value=form[value_name(*key)] if is_open else None,
                    reason=form[reason_name(*key)] if is_open else None,
                )
            )
    return rows


def _snippets(item: Item) -> list[dict[str, str]]:
    """The evidence as raters saw it; only a web address becomes a link."""
    snippets = []
    for evidence in item.evidence:
        source, host = web_address(evidence["url"])
        snippets.append({**evidence, "source": source, "host": host})
    return snippets
