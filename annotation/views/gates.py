"""What stands between a rater and the next item: consent, and a participant's quota."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation import consent, participants
from annotation.assigning import Nothing, Why
from annotation.middleware import PARTICIPANT, QUOTA
from annotation.models import Assignment, Participant
from rarrweb.http import UserRequest


def participant_of(request: HttpRequest) -> Participant | None:
    """The participant whose session this is; None, without a query, for everybody else."""
    key = request.session.get(PARTICIPANT)
    if key is None:
        return None
    return (
        Participant.objects.select_related("crowd__campaign", "user")
        .filter(pk=key, user_id=cast(UserRequest, request).user.pk)
        .first()
    )


def before_next(request: UserRequest) -> HttpResponse | None:
    """Where a participant goes who gets no further item; None for everybody who may get one."""
    participant = participant_of(request)
    if participant is None:
        return None
    request.session[QUOTA] = participant.crowd.quota
    try:
        if participants.may_go_on(participant):
            return None
    except participants.NoPlaceLeft:
        return no_place(request)
    return redirect("annotation:study")


def instead_of_nothing(request: UserRequest, found: Nothing) -> HttpResponse | None:
    """Where somebody goes for whom there is nothing to judge; None for the page that says so."""
    if found.why == Why.CONSENT and found.campaign is not None:
        return redirect("annotation:consent", found.campaign.slug)
    stopped = found.campaign if found.why == Why.NOT_PASSED else None
    # Who may not try again ends here, if they came from a platform: with the code for that.
    if stopped is not None and participants.screen_out(request.user, stopped):
        return redirect("annotation:study")
    if found.why in {Why.TRY_AGAIN, Why.NOT_PASSED} and found.campaign is not None:
        return redirect("annotation:training", found.campaign.slug)
    if found.why in {Why.NO_CAMPAIGN, Why.PAUSED}:
        return None
    participant = participant_of(request)
    if participant is not None and participants.complete_early(participant):
        return redirect("annotation:study")
    return None


def before_item(assignment: Assignment) -> HttpResponse | None:
    """The consent page, where the rater has not agreed to what is asked by now."""
    campaign = assignment.item.campaign
    if campaign.is_open and consent.is_missing(assignment.rater, campaign):
        return redirect("annotation:consent", campaign.slug)
    return None


def no_place(request: HttpRequest) -> HttpResponse:
    """That the study is full; not an error of whoever came."""
    return render(request, "annotation/crowd/not_open.html", {"why": "full"}, status=409)
