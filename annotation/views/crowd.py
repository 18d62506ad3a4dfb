"""A campaign's crowd, for researchers: entry, participants, payment."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.models import Campaign, Crowd, Participant, PlatformIdentity
from annotation.quality_control import training
from annotation.raters import crowd_entry, participants
from annotation.raters.forms import CrowdForm
from annotation.views.campaign_head import led_campaign
from rarrweb.accounts import audit
from rarrweb.accounts.http import UserRequest
from rarrweb.web.addresses import absolute
from rarrweb.web.streaming import download_headers

PAGE = 50
STATES = [("", "all"), *Participant.State.choices]


@require_http_methods(["GET", "HEAD", "POST"])
def crowd(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    existing = Crowd.objects.filter(campaign=campaign).first()
    form = CrowdForm(request.POST or None, instance=existing)
    if request.method == "POST" and form.is_valid():
        made = form.save(commit=False)
        made.campaign = campaign
        made.key = made.key or crowd_entry.new_key()
        made.save()
        messages.success(
            request, "The entry is ready." if existing is None else "The entry's terms are saved."
        )
        return redirect("annotation:crowd", campaign.slug)
    context: dict[str, object] = {"campaign": campaign, "crowd": existing, "form": form}
    if existing is not None:
        context |= _crowd_context(request, campaign, Crowd.objects.get(pk=existing.pk))
    return render(request, "annotation/crowd/crowd.html", context)


def _crowd_context(request: UserRequest, campaign: Campaign, crowd: Crowd) -> dict[str, object]:
    """Return the context of an existing crowd, as saved."""
    state = request.GET.get("state", "")
    if state not in dict(STATES):
        state = ""
    counts = participants.counts(crowd)
    rows = Paginator(participants.list_participants(crowd, state=state), PAGE)
    return {
        "crowd": crowd,
        "address": entry_address(request, crowd),
        "state": state,
        "states": [
            (value, name, sum(counts.values()) if not value else counts[value])
            for value, name in STATES
        ],
        "page": rows.get_page(request.GET.get("page")),
        "pager_base": f"{reverse('annotation:crowd', args=[campaign.slug])}",
        "completed": counts[Participant.State.COMPLETED],
        "known": PlatformIdentity.objects.filter(participant__crowd=crowd).count(),
        "may_return": {*participants.FORMER, Participant.State.DECLINED},
    }


def entry_address(request: UserRequest, crowd: Crowd) -> str:
    names = [crowd.participant_parameter, crowd.study_parameter, crowd.session_parameter]
    pairs = "&".join(f"{name}={{{{%{name}%}}}}" for name in names if name)
    path = reverse("annotation:enter", args=[crowd.key])
    return f"{absolute(path, request=request)}?{pairs}"


@require_safe
def participants_csv(request: UserRequest, slug: str) -> HttpResponse:
    """Return the payment table; with `?ids` only the ids of completed participants."""
    campaign = led_campaign(request, slug)
    crowd = get_object_or_404(Crowd, campaign=campaign)
    audit.record("exported", campaign, what="participants")
    if "ids" in request.GET:
        text, name = participants.payment_ids(crowd), f"{campaign.slug}-to-approve.csv"
    else:
        text, name = participants.payment_table(crowd), f"{campaign.slug}-participants.csv"
    return HttpResponse(
        text, content_type="text/csv; charset=utf-8", headers=download_headers(name)
    )


@require_http_methods(["GET", "HEAD", "POST"])
def forget_platform_ids(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    crowd = get_object_or_404(Crowd, campaign=campaign)
    if request.method != "POST":
        counts = participants.counts(crowd)
        context = {
            "campaign": campaign,
            "known": PlatformIdentity.objects.filter(participant__crowd=crowd).count(),
            "working": counts[Participant.State.ACTIVE],
        }
        return render(request, "annotation/crowd/forget.html", context)
    number = participants.forget_identities(crowd)
    messages.success(request, f"Forgotten: the platform's ids of {number:,} participants.")
    return redirect("annotation:crowd", campaign.slug)


@require_POST
def new_entry_address(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    crowd = get_object_or_404(Crowd, campaign=campaign)
    Crowd.objects.filter(pk=crowd.pk).update(key=crowd_entry.new_key())
    audit.record("entry-changed", crowd)
    messages.success(request, "The entry has a new address. Give it to the platform.")
    return redirect("annotation:crowd", campaign.slug)


@require_POST
def readmit(request: UserRequest, slug: str, participant_id: int) -> HttpResponse:
    participant = _participant(request, slug, participant_id)
    if participant.state not in {*participants.FORMER, Participant.State.DECLINED}:
        messages.info(request, f"{participant.user.username} has not stopped.")
        return redirect("annotation:crowd", slug)
    was_screened_out = participant.state == Participant.State.SCREENED_OUT
    participants.reactivate(participant)
    if was_screened_out:  # or training would end it again
        training.waive_training(participant.crowd.campaign, participant.user, by=request.user)
    messages.success(request, f"{participant.user.username} can go on, by the platform's address.")
    return redirect("annotation:crowd", slug)


def _participant(request: UserRequest, slug: str, participant_id: int) -> Participant:
    rows = Participant.objects.select_related("crowd__campaign", "user")
    return get_object_or_404(rows, crowd__campaign=led_campaign(request, slug), pk=participant_id)
