from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Campaign
from annotation.raters import invitations
from annotation.raters.forms import ListForm
from annotation.views.campaign_head import led_campaign
from rarrweb.accounts import invitation_links
from rarrweb.accounts.http import UserRequest
from rarrweb.web.addresses import absolute
from rarrweb.web.csv import table_text
from rarrweb.web.streaming import download_headers

PAGE = 50
STATES = [("", "all"), ("open", "open"), ("used", "used up"), ("over", "expired or withdrawn")]


@require_safe
def invitation_list(request: UserRequest, slug: str) -> HttpResponse:
    return _page(request, led_campaign(request, slug))


@require_POST
def invite_list(request: UserRequest, slug: str) -> HttpResponse:
    """Return a CSV file with a link for each name, the only copy."""
    campaign = led_campaign(request, slug)
    form = ListForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, list_form=form)
    made = invitations.invite_each(
        campaign,
        form.cleaned_data["names"],
        created_by=request.user,
        days=form.cleaned_data["days"],
        role=form.cleaned_data["role"],
    )
    rows = (
        (each.note, each.get_role_display(), _address(request, token), each.expires_at.isoformat())
        for each, token in made
    )
    return HttpResponse(
        table_text(("name", "role", "link", "expires_at"), rows),
        content_type="text/csv; charset=utf-8",
        headers=download_headers(f"{campaign.slug}-links.csv"),
    )


@require_POST
def renew_invitation(request: UserRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Replace a link; only this response displays the new one."""
    campaign = led_campaign(request, slug)
    invitation = get_object_or_404(campaign.invitations, pk=invitation_id)
    try:
        token = invitation_links.renew(invitation, created_by=request.user)
    except invitation_links.LinkIsGone:
        messages.warning(request, "This link is used up. Make a new one.")
        return redirect("annotation:invitations", campaign.slug)
    link = {"url": _address(request, token), "note": invitation.note}
    return _page(request, campaign, link=link)


def _page(request: UserRequest, campaign: Campaign, **more: object) -> HttpResponse:
    state = request.GET.get("state", "")
    if state not in dict(STATES):
        state = ""
    links = campaign.invitations.select_related("created_by").prefetch_related("uses__user")
    page = Paginator(links.filter(_in_state(state)), PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "state": state,
        "states": [(value, name, links.filter(_in_state(value)).count()) for value, name in STATES],
        "page": page,
        "list_form": ListForm(),
        "now": timezone.now(),
    }
    return render(request, "annotation/invitations.html", context | more)


def _in_state(state: str) -> Q:
    now = timezone.now()
    return {
        "open": Q(accepted_at=None, expires_at__gt=now),
        "used": Q(accepted_at__isnull=False),
        "over": Q(accepted_at=None, expires_at__lte=now),
    }.get(state, Q())


def _address(request: UserRequest, token: str) -> str:
    return absolute(reverse("annotation:join", args=[token]), request=request)
