"""A rater's items: list, skip, undo."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.judging import skips
from annotation.judging.answers import ChangeRefused
from annotation.judging.forms import SkipForm, first_error
from annotation.models import Assignment, Campaign
from annotation.views.tasks import go_on
from rarrweb.accounts.http import UserRequest

PAGE = 25

FILTERS = {
    "": ("All", Q()),
    "begun": ("Begun", Q(submitted_at=None, skipped_at=None)),
    "submitted": ("Submitted", Q(submitted_at__isnull=False)),
    "skipped": ("Skipped", Q(skipped_at__isnull=False)),
}
"""Name in the address to label and rows."""


@require_safe
def my_items(request: UserRequest) -> HttpResponse:
    mine = Assignment.objects.visible_to(request.user)
    campaign = None
    slug = request.GET.get("campaign")
    if slug:
        campaign = get_object_or_404(Campaign.objects.visible_to(request.user), slug=slug)
        mine = mine.filter(item__campaign=campaign)
    show = request.GET.get("show", "")
    if show not in FILTERS:
        show = ""
    counts = mine.order_by().aggregate(
        **{label: Count("pk", filter=rows) for label, rows in FILTERS.values()}
    )
    label, condition = FILTERS[show]
    # Keys first, from an index; then these rows' columns.
    keys = mine.filter(condition).order_by("-pk").values_list("pk", flat=True)
    paginator = Paginator(keys, PAGE)
    paginator.count = counts[label]
    page = paginator.get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "page": page,
        "rows": _rows(mine.filter(pk__in=list(page))),
        "show": show,
        "filters": [
            {"name": name, "label": label, "count": counts[label]}
            for name, (label, _) in FILTERS.items()
        ],
    }
    return render(request, "annotation/my_items.html", context)


@require_POST
def skip(request: UserRequest, assignment_id: int) -> HttpResponse:
    assignment = _assignment(request, assignment_id)
    form = SkipForm(request.POST)
    if not form.is_valid():
        messages.error(request, first_error(form))
        return redirect(assignment)
    try:
        skips.skip(assignment, **form.cleaned_data)
    except (skips.CannotSkip, ChangeRefused) as error:
        messages.error(request, str(error))
        return redirect(assignment)
    messages.info(
        request, "Skipped. The item goes to another rater; you can find it under Your items."
    )
    return go_on(request, assignment.item.campaign)


@require_POST
def undo_skip(request: UserRequest, assignment_id: int) -> HttpResponse:
    assignment = _assignment(request, assignment_id)
    try:
        has_slot = skips.undo_skip(assignment)
    except ChangeRefused as error:
        messages.error(request, str(error))
        return redirect(assignment)
    if has_slot:
        messages.success(request, "The item is yours again.")
    return redirect(assignment)


def _assignment(request: UserRequest, assignment_id: int) -> Assignment:
    return get_object_or_404(Assignment.objects.visible_to(request.user), pk=assignment_id)


def _rows(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    return (
        assignments.select_related("item__campaign")
        .defer("visits", "item__evidence", "item__context", "item__sentences", "item__citations")
        .order_by("-pk")
    )
