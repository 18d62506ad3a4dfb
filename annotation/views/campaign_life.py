"""A campaign's life: its draft, a look at it as raters will have it, phase after phase."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import campaigns
from annotation.drawing import NothingToJudge, outlook_of
from annotation.forms import DraftForm
from annotation.models import Assignment, Campaign, Membership
from annotation.progress import phases_of
from annotation.runs_field import offered
from annotation.views.tasks import preview_page
from rarrweb.http import UserRequest

PREVIEWED = 5
"""Items that a preview makes, to show one of them."""


def _led(request: UserRequest, slug: str) -> Campaign:
    led = Campaign.objects.led_by(request.user).select_related("copied_from")
    return get_object_or_404(led, slug=slug)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def edit_draft(request: UserRequest, slug: str) -> HttpResponse:
    """Change what a draft says; once it has begun there is nothing to change any more."""
    campaign = _led(request, slug)
    if not campaign.is_draft:
        messages.info(request, "This campaign has begun, so its settings stay as they are.")
        return redirect(campaign)
    form = DraftForm(request.POST or None, draft=campaign, user=request.user)
    if request.method == "POST" and form.is_valid():
        try:
            campaigns.change_draft(campaign, **form.cleaned_data)
        except campaigns.AlreadyBegun as error:
            messages.error(request, str(error))
        else:
            messages.success(request, "The draft is saved.")
        return redirect(campaign)
    context = {"form": form, "campaign": campaign, "offered": list(offered(form["run"]))}
    return render(request, "annotation/edit_draft.html", context)


@require_safe
@never_cache
def preview(request: UserRequest, slug: str) -> HttpResponse:
    """The first item as a rater would see it, read-only; nothing of it is kept.

    The draft really begins, with a few passages, and the page is a rater's own; then all of it
    is rolled back. So a preview cannot differ from what raters get.
    """
    campaign = _led(request, slug)
    if not campaign.is_draft:
        return redirect(campaign)
    try:
        with transaction.atomic():
            page = _previewed(request, campaign)
            transaction.set_rollback(True)
    except NothingToJudge as error:
        messages.error(request, str(error))
        return redirect(campaign)
    return page


def _previewed(request: UserRequest, campaign: Campaign) -> HttpResponse:
    campaign.pilot_size = 0
    campaigns.begin(campaign, most_passages=PREVIEWED)
    # Rolled back with the rest, so nobody becomes a rater by looking.
    Membership.objects.get_or_create(
        campaign=campaign, user=request.user, role=Membership.Role.ANNOTATOR
    )
    campaign.state = Campaign.State.DRAFT  # here only: the page then saves nothing
    item = campaign.items.order_by("position")[0]
    assignment = Assignment.objects.create(
        item=item, rater=request.user, slot=1, claimed_at=campaign.created_at,
        lease_until=campaign.created_at,
    )  # fmt: skip
    return preview_page(request, assignment)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def move_on(request: UserRequest, slug: str) -> HttpResponse:
    """Say what the next phase will be, and begin it when that is confirmed."""
    campaign = _led(request, slug)
    if campaign.state not in (Campaign.State.DRAFT, Campaign.State.PILOT):
        return redirect(campaign)
    if request.method == "POST":
        return _moved_on(request, campaign)
    context = {
        "campaign": campaign,
        "outlook": outlook_of(campaign),
        "phases": {each.phase: each for each in phases_of([campaign]).get(campaign.pk, [])},
        "raters": campaign.memberships.filter(role=Membership.Role.ANNOTATOR).count(),
    }
    return render(request, "annotation/move_on.html", context)


def _moved_on(request: UserRequest, campaign: Campaign) -> HttpResponse:
    # The page says which state it saw, so that a second click does not skip a phase.
    if request.POST.get("seen") != campaign.state:
        messages.info(request, "Nothing was changed: this campaign has been moved on already.")
        return redirect(campaign)
    try:
        if campaign.is_draft:
            campaigns.begin(campaign)
        else:
            campaigns.begin_production(campaign)
    except (campaigns.AlreadyBegun, NothingToJudge) as error:
        messages.error(request, str(error))
        return redirect(campaign)
    phase = campaign.get_state_display()
    messages.success(request, f"The {phase} has begun: raters find its items from now on.")
    return redirect(campaign)


@require_POST
def copy_campaign(request: UserRequest, slug: str) -> HttpResponse:
    """A draft with the same settings."""
    copy = campaigns.copy_campaign(_led(request, slug), created_by=request.user)
    messages.success(
        request, "This draft has the same settings. Give it a name, and look them over."
    )
    return redirect("annotation:edit-draft", copy.slug)


@require_POST
def discard_draft(request: UserRequest, slug: str) -> HttpResponse:
    """Delete a draft. Nobody has judged in it; its settings go."""
    campaign = _led(request, slug)
    try:
        campaigns.discard_draft(campaign)
    except campaigns.AlreadyBegun as error:
        messages.error(request, str(error))
        return redirect(campaign)
    messages.success(request, f"The draft “{campaign.name}” is deleted.")
    return redirect("annotation:campaigns")
