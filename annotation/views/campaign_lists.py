from django.db.models import F, Q
from django.db.models.functions import Lower
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from annotation.campaigns.deletion import delete_campaign, deletion_preview
from annotation.campaigns.progress import assigned_campaigns, phases_of
from annotation.campaigns.stages import stages_of
from annotation.models import Campaign
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire
from annotation.results.cached_figures import Figures
from annotation.views.campaign_head import led_campaign
from pipeline.views.lists import archive_selected
from rarrweb.accounts.http import UserRequest
from rarrweb.web.deletion import deletion_page
from rarrweb.web.listing import ARCHIVED, Filter, ListColumn, Listing

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
    figures = Figures.of_request(request)
    phases, stages = phases_of(campaigns), stages_of(campaigns, figures)
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
        "figures": figures,
        "parts": ",".join(["#computing", *(f"#stage-{each.pk}" for each in campaigns)]),
    }
    return render(request, "annotation/campaigns.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    export = reverse("annotation:export", args=[campaign.slug])
    return deletion_page(request, campaign, deletion_preview, delete_campaign, export=export)
