"""A campaign's invitations: many at once, links for groups, who came, what is still open."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import bulk_inviting
from annotation.invitation_lists import PROBLEMS_SHOWN
from annotation.invite_forms import ListForm, SharedLinkForm
from annotation.models import Campaign, CampaignInvitation
from rarrweb.accounts import inviting
from rarrweb.addresses import absolute
from rarrweb.http import UserRequest

PAGE = 50
STATES = [("", "all"), ("open", "not used"), ("joined", "joined"), ("over", "expired or withdrawn")]


@require_safe
@never_cache
def invitations(request: UserRequest, slug: str) -> HttpResponse:
    """Every link of the campaign, by state, with who used it and when."""
    return _page(request, _led(request, slug))


@require_POST
@never_cache
def invite_list(request: UserRequest, slug: str) -> HttpResponse:
    """Invite everybody of a list, or say what is wrong in it; links are in this answer only."""
    campaign = _led(request, slug)
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
    outcomes = bulk_inviting.invite_all(
        campaign,
        form.rows,
        created_by=request.user,
        days=form.cleaned_data["list_days"],
        renew=form.cleaned_data["renew"],
    )
    file = bulk_inviting.links_file(outcomes, address=lambda token: _address(request, token))
    counted = [
        (text, sum(each.what == what for each in outcomes))
        for what, text in bulk_inviting.TELLS.items()
    ]
    return render(
        request,
        "annotation/invitations_made.html",
        {
            "campaign": campaign,
            "outcomes": outcomes,
            "counted": [(text, number) for text, number in counted if number],
            "made": sum(bool(each.token) for each in outcomes),
            "file": bulk_inviting.as_data_address(file),
            "file_name": f"{campaign.slug}-links.csv",
        },
    )


@require_POST
@never_cache
def share_link(request: UserRequest, slug: str) -> HttpResponse:
    """Make one link for a group, and show it in this answer only."""
    campaign = _led(request, slug)
    form = SharedLinkForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, shared_form=form)
    data = form.cleaned_data
    invitation, token = bulk_inviting.share(
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
    campaign = _led(request, slug)
    invitation = get_object_or_404(campaign.shared_invitations, pk=invitation_id)
    if inviting.revoke(invitation):
        messages.success(
            request, "The link is withdrawn and works no more. Who has joined by it stays."
        )
    else:
        messages.warning(request, "This link had expired.")
    return redirect("annotation:invitations", campaign.slug)


@require_POST
@never_cache
def renew_invitation(request: UserRequest, slug: str, invitation_id: int) -> HttpResponse:
    """A new link in place of one that was lost, expired or withdrawn; shown in this answer only."""
    campaign = _led(request, slug)
    invitation = get_object_or_404(campaign.invitations, pk=invitation_id)
    try:
        token = inviting.renew(invitation, created_by=request.user)
    except inviting.LinkIsGone:
        messages.warning(request, "Somebody has joined by this link already.")
        return redirect("annotation:invitations", campaign.slug)
    link = {"url": _address(request, token), "note": invitation.note}
    return _page(request, campaign, link=link)


def _page(request: UserRequest, campaign: Campaign, **more: object) -> HttpResponse:
    state = request.GET.get("state", "")
    if state not in dict(STATES):
        state = ""
    links = campaign.invitations.select_related("created_by", "accepted_by")
    page = Paginator(_in_state(links, state), PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "state": state,
        "states": [(value, name, _in_state(links, value).count()) for value, name in STATES],
        "page": page,
        "shared": campaign.shared_invitations.select_related("created_by").prefetch_related(
            "uses__user"
        ),
        "list_form": ListForm(),
        "shared_form": SharedLinkForm(),
        "now": timezone.now(),
    }
    return render(request, "annotation/invitations.html", context | more)


def _in_state(links: QuerySet[CampaignInvitation], state: str) -> QuerySet[CampaignInvitation]:
    now = timezone.now()
    if state == "open":
        return links.filter(accepted_at=None, expires_at__gt=now)
    if state == "joined":
        return links.exclude(accepted_at=None)
    if state == "over":
        return links.filter(Q(accepted_at=None) & Q(expires_at__lte=now))
    return links


def _address(request: UserRequest, token: str) -> str:
    return absolute(reverse("annotation:join", args=[token]), request=request)


def _led(request: UserRequest, slug: str) -> Campaign:
    return get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
