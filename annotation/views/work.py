"""Raters' work, for researchers: release it or send it back."""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.judging import releases
from annotation.judging.answers import ChangeRefused
from annotation.judging.forms import SendBackForm, first_error
from annotation.models import Assignment, Campaign
from annotation.views.campaign_head import led_campaign
from rarrweb.accounts.http import UserRequest

PAGE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFilter:
    label: str
    rows: Q
    order: str
    empty: str


LISTS = {
    "in-hand": WorkFilter(
        label="In hand",
        rows=Q(submitted_at=None, skipped_at=None, released_at=None),
        order="lease_until",
        empty="No items are in progress.",
    ),
    "skipped": WorkFilter(
        label="Skipped",
        rows=Q(skipped_at__isnull=False),
        order="-skipped_at",
        empty="No rater has skipped an item.",
    ),
    "released": WorkFilter(
        label="Released",
        rows=Q(released_at__isnull=False, submitted_at=None, skipped_at=None),
        order="-released_at",
        empty="No released items. You can release an item in progress so that other raters get it.",
    ),
    "submitted": WorkFilter(
        label="Submitted",
        rows=Q(submitted_at__isnull=False),
        order="-submitted_at",
        empty="Nothing is submitted yet.",
    ),
}


@require_safe
def work(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    show = request.GET.get("show", "")
    if show not in LISTS:
        show = "in-hand"
    everything = Assignment.objects.filter(item__campaign=campaign)
    counts = everything.order_by().aggregate(
        **{name: Count("pk", filter=each.rows) for name, each in LISTS.items()}
    )
    page = Paginator(_rows(everything, LISTS[show]), PAGE)
    page.count = counts[show]
    context = {
        "campaign": campaign,
        "is_open": campaign.state in Campaign.OPEN,
        "page": page.get_page(request.GET.get("page")),
        "show": show,
        "empty": LISTS[show].empty,
        "lists": [
            {"name": name, "label": each.label, "count": counts[name]}
            for name, each in LISTS.items()
        ],
        "now": timezone.now(),
        "note_limit": releases.NOTE_LIMIT,
    }
    return render(request, "annotation/work.html", context)


@require_POST
def release(request: UserRequest, slug: str, assignment_id: int) -> HttpResponse:
    def act(assignment: Assignment) -> str:
        releases.release(assignment, by=request.user)
        return f"Item {assignment.item.position:,} is free for other raters."

    return _act(request, slug, assignment_id, act)


@require_POST
def send_back(request: UserRequest, slug: str, assignment_id: int) -> HttpResponse:
    form = SendBackForm(request.POST)

    def act(assignment: Assignment) -> str:
        if releases.send_back(assignment, by=request.user, **form.cleaned_data):
            return f"{assignment.rater.username} gets item {assignment.item.position:,} next."
        return (
            f"Other raters have taken all places of item {assignment.item.position:,}: "
            f"{assignment.rater.username} can go on with it, and what they say is marked as late."
        )

    if not form.is_valid():
        messages.error(request, first_error(form))
        return redirect(_back(slug, request))
    return _act(request, slug, assignment_id, act)


@require_POST
def undo_send_back(request: UserRequest, slug: str, assignment_id: int) -> HttpResponse:
    def act(assignment: Assignment) -> str:
        releases.undo_send_back(assignment)
        return f"Item {assignment.item.position:,} counts as submitted again."

    return _act(request, slug, assignment_id, act)


def _act(
    request: UserRequest, slug: str, assignment_id: int, act: Callable[[Assignment], str]
) -> HttpResponse:
    """Apply `act` to an assignment of the campaign; redirect to the list with its message."""
    campaign = led_campaign(request, slug)
    assignments = Assignment.objects.filter(item__campaign=campaign)
    assignment = get_object_or_404(assignments.select_related("rater"), pk=assignment_id)
    try:
        messages.success(request, act(assignment))
    except (releases.CannotRelease, releases.CannotSendBack, ChangeRefused) as error:
        messages.error(request, str(error))
    return redirect(_back(campaign.slug, request))


def _back(slug: str, request: UserRequest) -> str:
    show = request.POST.get("show", "")
    return reverse("annotation:work", args=[slug]) + (f"?show={show}" if show in LISTS else "")


def _rows(assignments: QuerySet[Assignment], chosen: WorkFilter) -> QuerySet[Assignment]:
    return (
        assignments.filter(chosen.rows)
        .select_related("item", "rater", "released_by", "returned_by")
        .defer("visits", "item__evidence", "item__context", "item__sentences", "item__citations")
        .annotate(answers=Count("judgments", filter=Q(judgments__value__isnull=False)))
        .order_by(chosen.order, "pk")
    )
