"""Judging: the next item, an item's page, handing it in."""

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from annotation import pace, showing, skipping, training, visiting
from annotation.access import own_assignment, visible_campaign
from annotation.assigning import Nothing, claim_next
from annotation.judging import (
    COMMENT_LIMIT,
    CampaignClosed,
    ItemSkipped,
    judgments_of,
    submit,
)
from annotation.models import Assignment, Campaign
from annotation.places import place_of
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Gap, Questionnaire
from annotation.views import gates
from annotation.views.beside import beside_the_task
from rarrweb.accounts.models import User
from rarrweb.http import UserRequest


@require_GET
@never_cache
def next_task(request: UserRequest) -> HttpResponse:
    """On to the item to judge next, or a page that says why there is none.

    Asking again gives the same item until it is handed in.
    """
    campaign = None
    slug = request.GET.get("campaign")
    if slug:
        campaign = visible_campaign(request.user, slug)
    if onward := gates.before_next(request):
        return onward
    found = claim_next(request.user, campaign=campaign)
    if isinstance(found, Nothing):
        if onward := gates.instead_of_nothing(request, found):
            return onward
        context = {"nothing": found, "campaign": campaign}
        return render(request, "annotation/nothing_to_judge.html", context)
    return redirect(found)


@require_safe
@never_cache
def task(request: UserRequest, assignment_id: int) -> HttpResponse:
    """One item under its campaign's questionnaire."""
    assignment = own_assignment(request.user, assignment_id)
    if onward := gates.before_item(assignment):
        return onward
    if training.is_told(assignment):
        return redirect("annotation:feedback", assignment.pk)
    return _page(request, assignment, gaps=[])


@require_http_methods(["GET", "HEAD", "POST"])
def submit_task(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Hand the item in and go on, or show what is missing."""
    assignment = own_assignment(request.user, assignment_id)
    if request.method != "POST":  # a log-in came between, or the page was reloaded
        return redirect(assignment)
    if training.is_told(assignment):
        return redirect("annotation:feedback", assignment.pk)
    was_submitted = assignment.submitted_at is not None
    try:
        gaps = submit(assignment)
    except (CampaignClosed, ItemSkipped) as error:
        messages.error(request, str(error))
        return redirect(assignment)
    if gaps:
        return _page(request, assignment, gaps=gaps)
    if training.is_told(assignment):
        training.finish_if_complete(assignment.item.campaign, request.user)
        return redirect("annotation:feedback", assignment.pk)
    if was_submitted:
        following = place_of(assignment).following
        if following is not None:
            return redirect("annotation:task", following)
    slug = assignment.item.campaign.slug
    return redirect(f"{reverse('annotation:next-task')}?campaign={slug}")


def _page(request: UserRequest, assignment: Assignment, *, gaps: list[Gap]) -> HttpResponse:
    item = assignment.item
    campaign = item.campaign
    questionnaire = questionnaire_of(campaign)
    judgments = judgments_of(assignment)
    asked = showing.questions(item, questionnaire, judgments)
    sequences = [row.sequence for row in judgments.values()]
    place = place_of(assignment)
    context = {
        "assignment": assignment,
        "campaign": campaign,
        "questionnaire": questionnaire,
        "context": item.context,
        "has_context": bool(item.context),
        "item": item,
        "questions": showing.of_item(asked),
        "sentences": showing.sentences(item, asked),
        "tail": item.text[item.sentences[-1]["end"] :],
        "snippets": showing.snippets(item, asked),
        "rows": showing.side_by_side(item) if item.second_text else [],
        "sequence": max([assignment.comment_sequence, *sequences]),
        "comment_limit": COMMENT_LIMIT,
        "is_open": campaign.state in Campaign.OPEN,
        "gaps": gaps,
        **_whose(assignment),
        **beside_the_task(assignment),
        "place": place.number,
        "submitted": place.submitted,
        "today": place.today,
        **_what_is_left(request.user, campaign, place.submitted),
        "is_new": not judgments and assignment.submitted_at is None,
        "training": training.of_task(assignment),
        "previous": place.previous,
        "following": place.following,
        "answered": _answered(questionnaire, asked, is_required=True),
        "rated": _answered(questionnaire, asked, is_required=False),
        "required": sum(
            len(asked[criterion.name])
            for criterion in questionnaire.criteria
            if criterion.is_required
        ),
    }
    return render(request, questionnaire.template, context)


def preview_page(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """The page of an assignment as its rater has it, of a draft that only seems to have begun."""
    return _page(request, assignment, gaps=[])


def _what_is_left(user: User, campaign: Campaign, submitted: int) -> dict[str, object]:
    """The items that are left, at most, since others may be quicker; and how long that may take."""
    left = max(campaign.most_for_one - submitted, 0)
    if not left or campaign.state not in Campaign.OPEN:
        return {"left": 0}
    seconds = pace.seconds_an_item(user, campaign) if submitted >= pace.FEWEST else None
    return {"left": left, "time_left": pace.in_words(left * seconds) if seconds else ""}


def _whose(assignment: Assignment) -> dict[str, object]:
    """Whose the item is just now, for templates/annotation/judging/_whose.html and _skip.html."""
    given_up = assignment.skipped_at or assignment.released_at
    is_held = assignment.is_held and assignment.submitted_at is None
    left = assignment.lease_until - timezone.now()
    return {
        # Also of a draft whose slot went: what is said from now on will be late.
        "is_away": assignment.is_late or (not assignment.is_held and not given_up),
        "lease_left": max(int(left.total_seconds()), 0) if is_held else None,
        "desk": visiting.desk_of(assignment),
        "skip_reasons": tuple(Assignment.SkipReason.choices),
        "skip_note_limit": skipping.NOTE_LIMIT,
    }


def _answered(
    questionnaire: Questionnaire,
    asked: Mapping[str, Mapping[int, showing.Question]],
    *,
    is_required: bool,
) -> int:
    return sum(
        question.value is not None
        for criterion in questionnaire.criteria
        if criterion.is_required == is_required
        for question in asked[criterion.name].values()
    )
