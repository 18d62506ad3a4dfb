"""Members of a campaign, and the page of a link."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.models import Campaign, CampaignInvitation, Membership
from annotation.raters import invitations, memberships
from annotation.raters.forms import InviteForm, ListForm, MemberForm, PeopleChoice
from annotation.views.campaign_head import led_campaign
from annotation.views.tasks import go_on
from rarrweb.accounts import invitation_links
from rarrweb.accounts.forms import SignUpForm
from rarrweb.accounts.http import UserRequest, keep_address_secret
from rarrweb.web.addresses import absolute
from rarrweb.web.csv import table_text
from rarrweb.web.streaming import download_headers

VERBS: dict[str, str] = {
    Membership.Role.ANNOTATOR: "judge",
    Membership.Role.ADJUDICATOR: "adjudicate",
}
NO_MORE: dict[str, str] = {
    Membership.Role.ANNOTATOR: "is no longer a rater. Their submitted work still counts.",
    Membership.Role.ADJUDICATOR: (
        "is no longer an adjudicator. Their adjudicated answers are kept."
    ),
}


@require_safe
def add_raters(request: UserRequest, slug: str) -> HttpResponse:
    return _adding(request, led_campaign(request, slug))


def _adding(
    request: UserRequest,
    campaign: Campaign,
    *,
    link: dict[str, object] | None = None,
    invite_form: InviteForm | None = None,
    member_form: MemberForm | None = None,
) -> HttpResponse:
    members = member_form or MemberForm(user=request.user, campaign=campaign)
    adding = {
        "invite_form": invite_form or InviteForm(initial={"max_uses": _missing_raters(campaign)}),
        "member_form": members,
        "choice": members.choice(),
        "also": _also(request, campaign),
        "invitations": campaign.invitations.usable(),
    }
    context = {"campaign": campaign, "adding": adding, "link": link}
    return render(request, "annotation/add_raters.html", context)


def _missing_raters(campaign: Campaign) -> int:
    """Return how many more raters it takes to judge everything, at least 1."""
    return max(campaign.raters_needed - memberships.raters_of(campaign).count(), 1)


def _also(request: UserRequest, campaign: Campaign) -> list[Campaign]:
    """Return the requested campaigns, and those that raters judge in succession with this one."""
    slugs = (request.POST if request.method == "POST" else request.GET).getlist("also")
    tied = (Q(follows=campaign) | Q(pk=campaign.follows_id)) & ~Q(state=Campaign.State.CLOSED)
    led = Campaign.objects.led_by(request.user).exclude(pk=campaign.pk)
    return list(led.filter(Q(slug__in=slugs) | tied).order_by("pk"))


@require_safe
def find_people(request: UserRequest) -> HttpResponse:
    if not request.user.is_researcher:
        raise Http404
    campaign = None
    if request.GET.get("campaign"):
        campaign = led_campaign(request, request.GET["campaign"])
    form = PeopleChoice(request.GET, user=request.user, campaign=campaign)
    return render(request, "annotation/_people_results.html", {"choice": form.choice()})


@require_POST
def invite_rater(request: UserRequest, slug: str) -> HttpResponse:
    """Make a link and display it once: the database has only its hash."""
    campaign = led_campaign(request, slug)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _adding(request, campaign, invite_form=form)
    also = _also(request, campaign)
    invitation, token = invitations.invite(
        campaign, created_by=request.user, also=also, **form.cleaned_data
    )
    # No redirect: the link is not stored anywhere.
    link = {"url": _address(request, token), "invitation": invitation}
    return _adding(request, campaign, link=link)


@require_POST
def revoke_invitation(request: UserRequest, slug: str, invitation_id: int) -> HttpResponse:
    campaign = led_campaign(request, slug)
    invitation = get_object_or_404(campaign.invitations, pk=invitation_id)
    if invitation_links.revoke(invitation):
        messages.success(request, "The link is revoked. People who joined with it stay.")
    else:
        messages.warning(request, "This link was already used up or expired.")
    return redirect("annotation:add-raters", slug)


@require_POST
def add_members(request: UserRequest, slug: str) -> HttpResponse:
    """Add members; "Find" only searches."""
    campaign = led_campaign(request, slug)
    sought: dict[str, Any] = {"data": request.POST}
    if "find" in request.POST:
        sought = {"initial": request.POST.dict() | {"person": request.POST.getlist("person")}}
    form = MemberForm(**sought, user=request.user, campaign=campaign)
    if not form.is_valid():
        return _adding(request, campaign, member_form=form)
    role = form.cleaned_data["role"]
    for person in form.chosen_people():
        added = [
            memberships.add_member(each, user=person, role=role)
            for each in (campaign, *_also(request, campaign))
        ]
        if any(added):
            can = f"{person.username} can {VERBS[role]} in this campaign now."
            messages.success(request, can)
        else:
            does = f"{person.username} {VERBS[role]}s in this campaign already."
            messages.info(request, does)
    return redirect("annotation:raters", slug)


@require_POST
def judge_myself(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    memberships.add_member(campaign, user=request.user)
    return go_on(request, campaign)


@require_POST
def remove_member(request: UserRequest, slug: str, membership_id: int) -> HttpResponse:
    campaign = led_campaign(request, slug)
    membership = get_object_or_404(campaign.memberships.select_related("user"), pk=membership_id)
    memberships.remove_member(membership)
    messages.success(request, f"{membership.user.username} {NO_MORE[membership.role]}")
    return redirect("annotation:raters", slug)


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@login_not_required  # for sign-up
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Join a campaign by its link; 404 for an unknown link, 410 for a used or expired one."""
    invitation = invitation_links.find_link(CampaignInvitation, token)
    try:
        if invitation is None or not invitation_links.can_be_accepted(invitation):
            raise invitation_links.LinkIsGone
        if request.user.is_authenticated:
            response = _join_as(cast(UserRequest, request), invitation)
        else:
            response = _sign_up(request, invitation)
    except invitation_links.LinkIsGone:
        if invitation is not None:
            invitation.refresh_from_db()  # used meanwhile
        status = 404 if invitation is None else 410
        context = {"invitation": invitation}
        response = render(request, "annotation/join_gone.html", context, status=status)
    return keep_address_secret(response)


def _sign_up(request: HttpRequest, invitation: CampaignInvitation) -> HttpResponse:
    """Make an account and join; raises `LinkIsGone`."""
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                person = form.save()
                invitations.join(invitation, user=person)
        except IntegrityError:  # the name was taken meanwhile
            form.add_error("username", "This user name is taken. Choose another one.")
        else:
            login(request, person, backend=settings.AUTHENTICATION_BACKENDS[-1])
            return _welcome(request, invitation.campaign)
    log_in = f"{reverse('account_login')}?next={request.path}"
    offered = invitations.campaigns_of(invitation)
    context = {"invitation": invitation, "offered": offered, "form": form, "log_in": log_in}
    return render(request, "annotation/join.html", context)


def _join_as(request: UserRequest, invitation: CampaignInvitation) -> HttpResponse:
    """Let a user join; raises `LinkIsGone`."""
    campaign = invitation.campaign
    offered = invitations.campaigns_of(invitation)
    memberships = Membership.objects.filter(
        user=request.user, role=invitation.role, campaign__in=offered
    )
    if memberships.count() == len(offered):
        messages.info(request, "You are already a member of this campaign; the link was not used.")
        return _welcome(request, campaign)
    if request.method != "POST":
        context = {"invitation": invitation, "offered": offered}
        return render(request, "annotation/join.html", context)
    invitations.join(invitation, user=request.user)
    return _welcome(request, campaign)


def _welcome(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    if not campaign.is_draft:
        return redirect(campaign)
    messages.success(request, "You have joined. The campaign will appear here when it starts.")
    return redirect("home")


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
    made = invitations.invite_each(campaign, **form.cleaned_data, created_by=request.user)
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
    link = {"url": _address(request, token), "invitation": invitation}
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
