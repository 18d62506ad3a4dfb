"""Training, for raters."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.judging.claims import assignments_of, campaigns_of_rater
from annotation.models import Assignment, Campaign, Item
from annotation.quality_control import training
from annotation.quality_control.reference_answers import settings_of
from annotation.quality_control.training import TrainingStatus, feedback_of
from annotation.questionnaires import questionnaire_of
from annotation.raters import consent
from annotation.views.tasks import go_on
from rarrweb.accounts.http import UserRequest


@require_safe
def training_page(request: UserRequest, slug: str) -> HttpResponse:
    campaign = _campaign(request, slug)
    standing = training.training_of(campaign, request.user)
    if standing.status == TrainingStatus.NONE:
        return redirect(campaign)
    assignments = assignments_of(request.user, campaign).filter(purpose=Item.Use.TRAINING)
    rows = assignments.select_related("item__campaign").prefetch_related(
        "judgments", "item__reference_answers"
    )
    items = []
    for number, assignment in enumerate(rows, start=1):
        answers = feedback_of(assignment) if training.has_feedback(assignment) else []
        items.append(
            {
                "number": number,
                "assignment": assignment,
                "right": sum(each.is_right for each in answers),
                "judged": len(answers),
            }
        )
    context = {
        "campaign": campaign,
        "standing": standing,
        "settings": settings_of(campaign),
        "items": items,
    }
    return render(request, "annotation/training/page.html", context)


@require_POST
def try_again(request: UserRequest, slug: str) -> HttpResponse:
    campaign = _campaign(request, slug)
    if consent.is_missing(request.user, campaign):
        return redirect("annotation:consent", campaign.slug)
    try:
        training.try_again(campaign, request.user)
    except training.NoAttemptLeft as error:
        messages.error(request, str(error))
        return redirect("annotation:training", campaign.slug)
    return go_on(request, campaign)


@require_safe
def feedback(request: UserRequest, assignment_id: int) -> HttpResponse:
    assignments = Assignment.objects.visible_to(request.user).select_related("item__campaign")
    assignment = get_object_or_404(
        assignments.prefetch_related("judgments", "item__reference_answers"), pk=assignment_id
    )
    if not training.has_feedback(assignment):  # other items never reveal what is right
        raise Http404
    campaign = assignment.item.campaign
    answers = feedback_of(assignment)
    training_items = assignments_of(request.user, campaign).filter(purpose=Item.Use.TRAINING)
    ids = list(training_items.values_list("pk", flat=True))
    number = ids.index(assignment.pk)
    context = {
        "campaign": campaign,
        "questionnaire": questionnaire_of(campaign),
        "assignment": assignment,
        "item": assignment.item,
        "answers": answers,
        "right": sum(each.is_right for each in answers),
        "standing": training.training_of(campaign, request.user),
        "number": number + 1,
        "previous": ids[number - 1] if number else None,
    }
    return render(request, "annotation/training/feedback.html", context)


def _campaign(request: UserRequest, slug: str) -> Campaign:
    """Return a campaign in which the user judges; 404 otherwise."""
    mine = campaigns_of_rater(request.user) & Campaign.objects.visible_to(request.user)
    return get_object_or_404(mine.select_related("checks"), slug=slug)
