"""Redirects before an item: consent, instructions, training, a participant's last page."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotation.judging.claims import NoTask, Reason
from annotation.models import Assignment, Participant
from annotation.raters import consent, participants
from annotation.raters.middleware import PARTICIPANT, QUOTA
from rarrweb.accounts.http import UserRequest


def participant_of(request: HttpRequest) -> Participant | None:
    """Return the session's participant; None, without a query, for others."""
    key = request.session.get(PARTICIPANT)
    if key is None:
        return None
    return (
        Participant.objects.select_related("crowd__campaign", "user")
        .filter(pk=key, user_id=cast(UserRequest, request).user.pk)
        .first()
    )


def before_next(request: UserRequest) -> HttpResponse | None:
    """Redirect a participant who gets no further item."""
    participant = participant_of(request)
    if participant is None:
        return None
    request.session[QUOTA] = participant.crowd.quota
    return None if participants.advance_participant(participant) else redirect("annotation:study")


def redirect_when_no_task(no_task: NoTask) -> HttpResponse | None:
    """Redirect a rater without a task to consent or training, if that is the reason."""
    if no_task.reason == Reason.CONSENT and no_task.campaign is not None:
        return redirect("annotation:consent", no_task.campaign.slug)
    if no_task.reason in {Reason.RETRAIN, Reason.OUT_OF_ATTEMPTS} and no_task.campaign is not None:
        return redirect("annotation:training", no_task.campaign.slug)
    return None


def end_when_no_task(request: UserRequest, no_task: NoTask) -> bool:
    """End a participation without tasks; return whether it has ended."""
    if no_task.reason == Reason.OUT_OF_ATTEMPTS and no_task.campaign is not None:
        # Participants who failed training get the code for that.
        return participants.screen_out(request.user, no_task.campaign)
    if no_task.reason not in {Reason.ALL_DONE, Reason.YOURS_DONE, Reason.CLOSED}:
        return False
    participant = participant_of(request)
    return participant is not None and participants.complete_early(participant)


def before_item(assignment: Assignment) -> HttpResponse | None:
    """Redirect a rater who lacks consent to the current version, or has read no instructions."""
    campaign = assignment.item.campaign
    if not campaign.is_open:
        return None
    if consent.is_missing(assignment.rater, campaign):
        return redirect("annotation:consent", campaign.slug)
    if assignment.is_uninstructed:
        return redirect("annotation:guidelines", campaign.slug)
    return None
