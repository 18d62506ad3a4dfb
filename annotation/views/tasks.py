"""Judging: the next item, its page, submission."""

from collections.abc import Sequence

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.judging import skips
from annotation.judging.access import assignment_of_rater, position_of, visible_campaign
from annotation.judging.answers import ChangeRefused, ItemSkipped, TrainingSubmitted, submit
from annotation.judging.claims import Reason, claim_next, next_campaign, preview_next
from annotation.judging.forms import SkipForm, first_error
from annotation.judging.task_page import TaskPage
from annotation.models import Assignment, Campaign, Participant
from annotation.quality_control import training
from annotation.questionnaires.types import Gap
from annotation.raters import participants
from annotation.views import gates
from rarrweb.accounts.http import UserRequest


@require_http_methods(["GET", "HEAD", "POST"])
def next_task(request: UserRequest) -> HttpResponse:
    """Claim the next item by POST; by GET, redirect to the item in progress.

    Without one, display a button or the reason why there is none.
    """
    slug = request.GET.get("campaign")
    campaign = visible_campaign(request.user, slug) if slug else None
    if request.method == "POST":
        if campaign is not None and "read" in request.POST:
            campaign.memberships.filter(user=request.user).update(has_read_instructions=True)
        return go_on(request, campaign)
    participant = gates.participant_of(request)
    if participant is not None and participant.state != Participant.State.ACTIVE:
        return redirect("annotation:study")
    task = preview_next(request.user, campaign=campaign)
    if participant is not None and (
        not (isinstance(task, Assignment) or (task and task.reason == Reason.BEING_JUDGED))
        or participants.has_reached_quota(participant)
    ):
        task = None  # the button decides whether there is more
    if isinstance(task, Assignment):
        return redirect(task)
    if task is not None and (onward := gates.redirect_when_no_task(task)):
        return onward
    another = next_campaign(request.user, after=campaign) if task and campaign else None
    context = {"nothing": task, "campaign": campaign, "next_campaign": another}
    return render(request, "annotation/next.html", context)


def go_on(request: UserRequest, campaign: Campaign | None) -> HttpResponse:
    """Claim and open the next item, or redirect to the page that says why there is none.

    Repeating it gives the same item until submission.
    """
    if onward := gates.before_next(request):
        return onward
    task = claim_next(request.user, campaign=campaign)
    if isinstance(task, Assignment):
        return redirect(task)
    if gates.end_when_no_task(request, task):
        return redirect("annotation:study")
    return gates.redirect_when_no_task(task) or redirect(next_address(campaign))


def next_address(campaign: Campaign | None) -> str:
    address = reverse("annotation:next-task")
    return address if campaign is None else f"{address}?campaign={campaign.slug}"


@require_safe
def task(request: UserRequest, assignment_id: int) -> HttpResponse:
    assignment = assignment_of_rater(request.user, assignment_id)
    if onward := gates.before_item(assignment):
        return onward
    if training.has_feedback(assignment):
        return redirect("annotation:feedback", assignment.pk)
    return task_page(request, assignment)


@require_http_methods(["GET", "HEAD", "POST"])
def submit_task(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Submit the item and go on, or display what is missing."""
    if request.method != "POST":  # after a log-in, or a reload
        return redirect(assignment_of_rater(request.user, assignment_id))
    assignment = Assignment(pk=assignment_id, rater=request.user)
    now = timezone.now()
    try:
        gaps = submit(assignment, now=now)
    except TrainingSubmitted:
        return redirect("annotation:feedback", assignment.pk)
    except (ChangeRefused, ItemSkipped) as error:
        messages.error(request, str(error))
        return redirect(assignment)
    if gaps:
        return task_page(request, assignment, gaps=gaps)
    if training.has_feedback(assignment):
        training.finish_if_complete(assignment.item.campaign, request.user)
        return redirect("annotation:feedback", assignment.pk)
    if assignment.submitted_at != now:  # it was submitted before
        following = position_of(assignment).next_id
        if following is not None:
            return redirect("annotation:task", following)
    return go_on(request, assignment.item.campaign)


def task_page(
    request: UserRequest, assignment: Assignment, *, gaps: Sequence[Gap] = ()
) -> HttpResponse:
    page = TaskPage(assignment, gaps=gaps)
    return render(request, page.questionnaire.template, {"task": page})


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
