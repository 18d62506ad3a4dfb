"""Who takes part in a campaign: links, members, and the page that a link opens."""

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from annotation import campaigns, joining
from annotation.forms import InviteForm, MemberForm
from annotation.models import Campaign, CampaignInvitation, Membership, SharedInvitation
from annotation.views.campaigns import campaign_context
from rarrweb.accounts import inviting
from rarrweb.accounts.forms import SignUpForm
from rarrweb.accounts.secret_links import keep_address_secret
from rarrweb.addresses import absolute
from rarrweb.http import UserRequest

AnyInvitation = CampaignInvitation | SharedInvitation

JUDGES = {
    "now": gettext_lazy("%(name)s can judge in this campaign now."),
    "already": gettext_lazy("%(name)s judges in this campaign already."),
    "no more": gettext_lazy("%(name)s judges no more here. What they submitted counts."),
}
ADJUDICATES = {
    "now": gettext_lazy("%(name)s can adjudicate in this campaign now."),
    "already": gettext_lazy("%(name)s adjudicates in this campaign already."),
    "no more": gettext_lazy("%(name)s adjudicates no more here. What they settled stays."),
}


@require_POST
@never_cache
def invite_rater(request: UserRequest, slug: str) -> HttpResponse:
    """Make a link, and show it in this answer only: nothing but its fingerprint is kept."""
    campaign = get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
    form = InviteForm(request.POST)
    if not form.is_valid():
        context = campaign_context(request, campaign, invite_form=form)
        return render(request, "annotation/campaign.html", context)
    invitation, token = joining.invite(
        campaign,
        created_by=request.user,
        note=form.cleaned_data["note"],
        days=form.cleaned_data["days"],
        role=form.cleaned_data["role"],
    )
    path = reverse("annotation:join", args=[token])
    # A redirect would need a place to keep the link until the next page, and there is no safe one.
    link = {"url": absolute(path, request=request), "note": invitation.note}
    return render(request, "annotation/campaign.html", campaign_context(request, campaign, link))


@require_POST
def revoke_invitation(request: UserRequest, slug: str, invitation_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
    invitation = get_object_or_404(campaign.invitations, pk=invitation_id)
    if inviting.revoke(invitation):
        messages.success(request, gettext("The link is withdrawn and works no more."))
    else:
        messages.warning(request, gettext("This link was already used or had expired."))
    return redirect(campaign)


@require_POST
def add_member(request: UserRequest, slug: str) -> HttpResponse:
    """Let a person who has an account take part."""
    campaign = get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
    form = MemberForm(request.POST)
    if not form.is_valid():
        context = campaign_context(request, campaign, member_form=form)
        return render(request, "annotation/campaign.html", context)
    person, role = form.cleaned_data["username"], form.cleaned_data["role"]
    does = ADJUDICATES if role == Membership.Role.ADJUDICATOR else JUDGES
    if campaigns.add_member(campaign, user=person, role=role):
        messages.success(request, does["now"] % {"name": person.username})
    else:
        messages.info(request, does["already"] % {"name": person.username})
    return redirect(campaign)


@require_POST
def judge_myself(request: UserRequest, slug: str) -> HttpResponse:
    """A researcher becomes a rater of the campaign and gets the first item."""
    campaign = get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
    campaigns.add_member(campaign, user=request.user)
    return redirect(reverse("annotation:next-task") + f"?campaign={campaign.slug}")


@require_POST
def remove_member(request: UserRequest, slug: str, membership_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
    membership = get_object_or_404(campaign.memberships.select_related("user"), pk=membership_id)
    campaigns.remove_member(membership)
    if membership.role == Membership.Role.ADJUDICATOR:
        text = ADJUDICATES["no more"]
    else:
        text = JUDGES["no more"]
    messages.success(request, text % {"name": membership.user.username})
    return redirect(campaign)


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@never_cache
@login_not_required  # a new person makes an account here
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Join a campaign by its link; 404 for an unknown link, 410 for a used or expired one."""
    return keep_address_secret(_join(request, token))


def _join(request: HttpRequest, token: str) -> HttpResponse:
    invitation = joining.find(token)
    if invitation is None or not (invitation.is_usable and invitation.created_by.is_active):
        return _gone(request, invitation)
    if request.user.is_authenticated:
        return _join_as(request, invitation)
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            person = joining.sign_up_and_join(form, invitation)
        except inviting.LinkIsGone:
            invitation.refresh_from_db()
            return _gone(request, invitation)
        except IntegrityError:  # two people chose the same name at the same moment
            form.add_error("username", gettext("This user name is taken. Choose another one."))
        else:
            login(request, person)
            return _welcome(request, invitation.campaign)
    log_in = f"{reverse('accounts:log-in')}?next={request.path}"
    context = {"form": form, "invitation": invitation, "log_in": log_in}
    return render(request, "annotation/join.html", context)


def _join_as(request: HttpRequest, invitation: AnyInvitation) -> HttpResponse:
    campaign = invitation.campaign
    is_member = Membership.objects.filter(
        campaign=campaign, user=request.user, role=invitation.role
    ).exists()
    if is_member:
        messages.info(
            request, gettext("You take part in this campaign already; the link is unused.")
        )
        return _welcome(request, campaign)
    if request.method != "POST":
        return render(request, "annotation/join.html", {"invitation": invitation})
    try:
        joining.join(invitation, user=request.user)
    except inviting.LinkIsGone:
        invitation.refresh_from_db()
        return _gone(request, invitation)
    return _welcome(request, campaign)


def _welcome(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """On to the campaign; of a draft a rater sees nothing yet."""
    if not campaign.is_draft:
        return redirect(campaign)
    messages.success(
        request,
        gettext("You take part. The campaign has not begun yet: it will stand here when it does."),
    )
    return redirect("home")


def _gone(request: HttpRequest, invitation: AnyInvitation | None) -> HttpResponse:
    return render(
        request,
        "annotation/join_gone.html",
        {"invitation": invitation},
        status=404 if invitation is None else 410,
    )
