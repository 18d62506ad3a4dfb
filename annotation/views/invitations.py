"""A campaign's invitations: lists, links for groups, who came, which links are unused."""

from collections import Counter

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Campaign
from annotation.raters import bulk_invitations, invitations
from annotation.raters.forms import ListForm, SharedLinkForm
from annotation.raters.invitation_csv import PROBLEMS_SHOWN
from annotation.views.lookups import led_campaign
from rarrweb.accounts import invitation_links
from rarrweb.addresses import absolute
from rarrweb.http import UserRequest

PAGE = 50
STATES = [("", "all"), ("open", "not used"), ("joined", "joined"), ("over", "expired or withdrawn")]


@require_safe
@never_cache
def invitation_list(request: UserRequest, slug: str) -> HttpResponse:
    """The campaign's links by state, with who used them and when."""
    return _page(request, led_campaign(request, slug))


@require_POST
@never_cache
def invite_list(request: UserRequest, slug: str) -> HttpResponse:
    """Invite everybody in a list, or say what is wrong; only this response has the links."""
    campaign = led_campaign(request, slug)
    form = ListForm(request.POST, request.FILES)
    if not form.is_valid():
        problems = form.problems.problems if form.problems else []
        return _page(
            request,
            campaign,
            list_form=form,
            problems=problems[:PROBLEMS_SHOWN],
            problems_left_out=max(0, len(problems) - PROBLEMS_SHOWN),
        )
    outcomes = bulk_invitations.invite_all(
        campaign,
        form.rows,
        created_by=request.user,
        days=form.cleaned_data["list_days"],
        renew=form.cleaned_data["renew"],
    )
    file = bulk_invitations.links_file(outcomes, address=lambda token: _address(request, token))
    counts = Counter(each.what for each in outcomes)
    context = {
        "campaign": campaign,
        "outcomes": outcomes,
        "counted": [(what, counts[what]) for what in bulk_invitations.OUTCOMES if counts[what]],
        "made": sum(bool(each.token) for each in outcomes),
        "file": bulk_invitations.as_data_address(file),
        "file_name": f"{campaign.slug}-links.csv",
    }
    return render(request, "annotation/invitations_made.html", context)


@require_POST
@never_cache
def share_link(request: UserRequest, slug: str) -> HttpResponse:
    """Make one link for a group, and show it in this response only."""
    campaign = led_campaign(request, slug)
    form = SharedLinkForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, shared_form=form)
    data = form.cleaned_data
    invitation, token = invitations.share(
        campaign,
        created_by=request.user,
        cap=data["cap"],
        days=data["shared_days"],
        role=data["role"],
        note=data["shared_note"],
    )
    link = {"url": _address(request, token), "note": invitation.note}
    return _page(request, campaign, link=link)


@require_POST
def revoke_shared_link(request: UserRequest, slug: str, invitation_id: int) -> HttpResponse:
    campaign = led_campaign(request, slug)
    invitation = get_object_or_404(campaign.shared_invitations, pk=invitation_id)
    if invitation_links.revoke(invitation):
        messages.success(request, "The link is withdrawn. People who joined with it stay.")
    else:
        messages.warning(request, "This link had expired.")
    return redirect("annotation:invitations", campaign.slug)


@require_POST
@never_cache
def renew_invitation(request: UserRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Replace a lost, expired or withdrawn link; only this response shows the new one."""
    campaign = led_campaign(request, slug)
    invitation = get_object_or_404(campaign.invitations, pk=invitation_id)
    try:
        token = invitation_links.renew(invitation, created_by=request.user)
    except invitation_links.LinkIsGone:
        messages.warning(request, "Somebody has joined by this link already.")
        return redirect("annotation:invitations", campaign.slug)
    link = {"url": _address(request, token), "note": invitation.note}
    return _page(request, campaign, link=link)


def _page(request: UserRequest, campaign: Campaign, **more: object) -> HttpResponse:
    state = request.GET.get("state", "")
    if state not in dict(STATES):
        state = ""
    links = campaign.invitations.select_related("created_by", "accepted_by")
    page = Paginator(links.filter(_in_state(state)), PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "state": state,
        "states": [(value, name, links.filter(_in_state(value)).count()) for value, name in STATES],
        "page": page,
        "shared": campaign.shared_invitations.select_related("created_by").prefetch_related(
            "uses__user"
        ),
        "list_form": ListForm(),
        "shared_form": SharedLinkForm(),
        "now": timezone.now(),
    }
    return render(request, "annotation/invitations.html", context | more)


def _in_state(state: str) -> Q:
    now = timezone.now()
    return {
        "open": Q(accepted_at=None, expires_at__gt=now),
        "joined": Q(accepted_at__isnull=False),
        "over": Q(accepted_at=None, expires_at__lte=now),
    }.get(state, Q())


def _address(request: UserRequest, token: str) -> str:
    return absolute(reverse("annotation:join", args=[token]), request=request)
