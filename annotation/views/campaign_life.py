"""The list of campaigns; a campaign's draft, phases and end."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.campaigns import lifecycle
from annotation.campaigns.forms import DraftForm, run_choices
from annotation.campaigns.lifecycle import delete_campaign, deletion_preview
from annotation.campaigns.progress import assigned_campaigns, phases_of
from annotation.campaigns.stages import stages_of
from annotation.items.selection import NothingToJudge, preview_draft
from annotation.models import Assignment, Campaign, Membership
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire
from annotation.results.cached_figures import FigureCache
from annotation.views.campaign_head import led_campaign
from annotation.views.tasks import task_page
from pipeline.views.lists import archive_selected
from rarrweb.accounts.http import UserRequest
from rarrweb.web.deletion import deletion_page
from rarrweb.web.listing import ARCHIVED, Filter, ListColumn, Listing

PREVIEWED = 5
"""Passages that a preview draws."""


@require_http_methods(["GET", "HEAD", "POST"])
def edit_draft(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug, "copied_from")
    if not campaign.is_draft:
        messages.info(request, "This campaign has begun, so its settings are fixed.")
        return redirect(campaign)
    form = DraftForm(request.POST or None, draft=campaign, user=request.user)
    if request.method == "POST" and form.is_valid():
        change = partial(lifecycle.change_draft, **form.cleaned_data)
        return _change(request, campaign, change, lambda: "The draft is saved.")
    context = {"form": form, "campaign": campaign, "kinds": form.kinds(), **run_choices(form)}
    return render(request, "annotation/edit_draft.html", context)


@require_safe
def preview(request: UserRequest, slug: str) -> HttpResponse:
    """Display the first item as raters would see it.

    The draft begins with a few passages; all of it is rolled back.
    """
    campaign = led_campaign(request, slug, "copied_from")
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
    campaign.save(update_fields=["pilot_size"])
    lifecycle.begin(campaign, most_passages=PREVIEWED)
    Membership.objects.get_or_create(
        campaign=campaign, user=request.user, role=Membership.Role.ANNOTATOR
    )
    campaign.state = Campaign.State.DRAFT  # so that the page saves nothing
    item = campaign.items.order_by("position")[0]
    at = campaign.created_at
    assignment = Assignment.objects.create(
        item=item, rater=request.user, slot=1, claimed_at=at, lease_until=at
    )
    return task_page(request, assignment)


@require_http_methods(["GET", "HEAD", "POST"])
def move_on(request: UserRequest, slug: str) -> HttpResponse:
    """Describe the next phase; begin it on confirmation."""
    campaign = led_campaign(request, slug, "copied_from")
    if campaign.state not in (Campaign.State.DRAFT, Campaign.State.PILOT):
        return redirect(campaign)
    if request.method == "POST":
        return _moved_on(request, campaign)
    context = {
        "campaign": campaign,
        "settings": lifecycle.fingerprint(campaign),
        "selection": preview_draft(campaign),
        "phases": {each.phase: each for each in phases_of([campaign]).get(campaign.pk, [])},
        "raters": campaign.memberships.filter(role=Membership.Role.ANNOTATOR).count(),
    }
    return render(request, "annotation/move_on.html", context)


def _moved_on(request: UserRequest, campaign: Campaign) -> HttpResponse:
    # A second click must not skip a phase.
    if request.POST.get("seen") != campaign.state:
        messages.info(request, "Nothing was changed: the next phase has already begun.")
        return redirect(campaign)
    begin = partial(lifecycle.begin, seen=request.POST.get("settings"))
    return _change(
        request,
        campaign,
        begin if campaign.is_draft else lifecycle.begin_production,
        lambda: f"The {_phase(campaign)} has begun. Raters get its items from now on.",
    )


@require_POST
def close_campaign(request: UserRequest, slug: str) -> HttpResponse:
    done = "The campaign is closed. Everything saved stays as it is."
    return _change(request, led_campaign(request, slug), lifecycle.close_campaign, lambda: done)


@require_POST
def reopen_campaign(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    return _change(
        request,
        campaign,
        lifecycle.reopen_campaign,
        lambda: f"The {_phase(campaign)} is in progress again.",
    )


def _phase(campaign: Campaign) -> str:
    return campaign.get_state_display() if campaign.pilot_size else "campaign"


def _change(
    request: UserRequest,
    campaign: Campaign,
    change: Callable[[Campaign], None],
    done: Callable[[], str],
) -> HttpResponse:
    try:
        change(campaign)
    except (lifecycle.AlreadyBegun, lifecycle.SettingsChanged, NothingToJudge) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done())
    return redirect(campaign)


@require_POST
def copy_campaign(request: UserRequest, slug: str) -> HttpResponse:
    copy = lifecycle.copy_campaign(
        led_campaign(request, slug, "copied_from"), created_by=request.user
    )
    messages.success(
        request, "This draft has the same settings. Give it a name, and look them over."
    )
    return redirect("annotation:edit-draft", copy.slug)


@require_POST
def discard_draft(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug, "copied_from")
    try:
        lifecycle.discard_draft(campaign)
    except lifecycle.AlreadyBegun as error:
        messages.error(request, str(error))
        return redirect(campaign)
    messages.success(request, f"The draft “{campaign.name}” is deleted.")
    return redirect("annotation:campaigns")


CAMPAIGNS = Listing(
    columns=(
        ListColumn("name", "Campaign", order=Lower("name")),
        ListColumn("questionnaire", "Questionnaire"),
        ListColumn("state", "State", order=F("state")),
        ListColumn("items", "Items", order=F("item_count"), is_number=True),
        ListColumn("raters", "Raters per item", is_number=True),
        ListColumn("submitted", "Submitted", is_number=True),
        ListColumn("created", "Created", order=F("created_at"), falls=True),
    ),
    filters=(
        Filter(
            "state",
            "State",
            {
                "": ("Any", Q()),
                "draft": ("Draft", Q(state=Campaign.State.DRAFT)),
                "open": ("Open", Q(state__in=Campaign.OPEN)),
                "closed": ("Closed", Q(state=Campaign.State.CLOSED)),
            },
        ),
        Filter(
            "questionnaire",
            "Questionnaire",
            {
                "": ("Any", Q()),
                **{
                    name: (load_questionnaire(name).title, Q(questionnaire=name))
                    for name in QUESTIONNAIRES
                },
            },
        ),
        ARCHIVED,
    ),
    search=("name", "slug"),
    search_label="Search names",
    sort="-created",
    size=25,
)


@require_http_methods(["GET", "HEAD", "POST"])
def campaign_list(request: UserRequest) -> HttpResponse:
    if request.method == "POST":
        return archive_selected(
            request,
            Campaign.objects.led_by(request.user),
            locked=Q(state__in=Campaign.OPEN),
            why="raters are judging in it. Close it first.",
        )
    visible = Campaign.objects.visible_to(request.user)
    listing = CAMPAIGNS.read(visible, request.GET)
    campaigns = listing.page.rows
    cache = FigureCache.of_request(request)
    phases, stages = phases_of(campaigns), stages_of(campaigns, cache)
    assigned = {row.campaign.pk: row for row in assigned_campaigns(request.user, campaigns)}
    rows = [
        {
            "campaign": campaign,
            "stage": stages[campaign.pk],
            "submitted": sum(each.done for each in phases.get(campaign.pk, [])),
            "wanted": sum(each.wanted for each in phases.get(campaign.pk, [])),
            "own": assigned.get(campaign.pk),
            "questionnaire": QUESTIONNAIRES.get(campaign.questionnaire)
            and load_questionnaire(campaign.questionnaire).title,
        }
        for campaign in campaigns
    ]
    context = {
        "list": listing,
        "rows": rows,
        "has_any": bool(campaigns) or visible.exists(),
        "figure_cache": cache,
        "parts": ",".join(["#computing", *(f"#stage-{each.pk}" for each in campaigns)]),
    }
    return render(request, "annotation/campaigns.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    export = reverse("annotation:export", args=[campaign.slug])
    return deletion_page(request, campaign, deletion_preview, delete_campaign, export=export)
