"""A participant's entry, and the study's last page."""

from django.conf import settings
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.models import Crowd, Participant
from annotation.raters import consent, crowd_entry, participants
from annotation.raters.forms import back_address
from annotation.raters.middleware import PARTICIPANT, QUOTA, STUDY
from annotation.views.gates import participant_of
from annotation.views.tasks import next_address
from rarrweb.accounts.http import UserRequest, client_address, keep_address_secret
from rarrweb.web.rate_limit import TooManyAttempts

SESSION_SECONDS = 24 * 3600
"""Later, the platform's address opens a new session."""


@require_http_methods(["GET", "HEAD", "POST"])
@login_not_required  # participants
def enter(request: HttpRequest, key: str) -> HttpResponse:
    """Enter a study; 404 for an unknown address, the same page for every id.

    GET has no side effects, so link previews are harmless.
    """
    return keep_address_secret(_enter(request, key))


def _enter(request: HttpRequest, key: str) -> HttpResponse:
    crowd = get_object_or_404(Crowd.objects.select_related("campaign__created_by"), key=key)
    try:
        ids = crowd_entry.read_ids(crowd, request.GET)
    except crowd_entry.BadIds as error:
        context: dict[str, object] = {"why": "ids", "message": str(error)}
        return render(request, "annotation/crowd/not_open.html", context, status=400)
    participant_id = request.session.get(PARTICIPANT)
    if request.method != "POST":
        context = {
            "crowd": crowd,
            "campaign": crowd.campaign,
            "somebody": request.user
            if request.user.is_authenticated and participant_id is None
            else None,
            "asks_consent": consent.current_text(crowd.campaign) is not None,
        }
        return render(request, "annotation/crowd/enter.html", context)
    try:
        crowd_entry.count_entry(client_address(request))
        participant = crowd_entry.enter(crowd, ids)
    except TooManyAttempts as refusal:
        context = {"why": "wait", "minutes": refusal.minutes}
        response = render(request, "annotation/crowd/not_open.html", context, status=429)
        response["Retry-After"] = str(refusal.seconds)
        return response
    except crowd_entry.NotOpen:
        return render(request, "annotation/crowd/not_open.html", {"why": "closed"}, status=410)
    if request.user.is_authenticated and request.user.pk != participant.user_id:
        logout(request)
    login(request, participant.user, backend=settings.AUTHENTICATION_BACKENDS[-1])
    request.session[PARTICIPANT] = participant.pk
    request.session[STUDY] = crowd.campaign.slug
    request.session[QUOTA] = crowd.quota
    request.session.set_expiry(SESSION_SECONDS)
    return redirect("annotation:study")


@require_safe
def study(request: UserRequest) -> HttpResponse:
    """Redirect to the next step, or display the last page with its code."""
    participant = _participant(request)
    campaign = participant.crowd.campaign
    if participant.state == Participant.State.ACTIVE:
        if consent.is_missing(request.user, campaign):
            return redirect("annotation:consent", campaign.slug)
        if not participants.has_begun(participant):
            return redirect("annotation:guidelines", campaign.slug)
        return redirect(next_address(campaign))
    context = _context(participant) | {"back": back_address(participant)}
    return render(request, "annotation/crowd/study.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: UserRequest) -> HttpResponse:
    participant = _participant(request)
    if participant.state != Participant.State.ACTIVE:
        return redirect("annotation:study")
    if request.method == "POST":
        participants.finish(participant, Participant.State.RETURNED)
        return redirect("annotation:study")
    return render(request, "annotation/crowd/stop.html", _context(participant))


def _context(participant: Participant) -> dict[str, object]:
    campaign = participant.crowd.campaign
    return {
        "participant": participant,
        "campaign": campaign,
        "submitted_count": participants.submitted_count(participant),
        "agreed": consent.agreement(participant.user, campaign) is not None,
    }


def _participant(request: UserRequest) -> Participant:
    participant = participant_of(request)
    if participant is None:
        raise Http404
    return participant
