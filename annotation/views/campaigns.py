"""Campaigns: the list, a new one, and the page of one."""

from collections.abc import Iterable

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import campaigns
from annotation.adjudicating import adjudicated_by
from annotation.forms import InviteForm, MemberForm, NewCampaignForm
from annotation.models import Assignment, Campaign, Item, Membership
from annotation.next_steps import own_progress, submissions
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire, questionnaire_of
from annotation.results import campaign_result
from pipeline.models import Run
from pipeline.paging import key_of
from pipeline.scorers import run_scorer
from rarrweb.http import UserRequest

PAGE = 25


@require_safe
def campaign_list(request: UserRequest) -> HttpResponse:
    """Every campaign for a researcher, one's own for anybody else."""
    visible = Campaign.objects.visible_to(request.user)
    page = Paginator(visible, PAGE).get_page(request.GET.get("page"))
    submitted = submissions(page.object_list)
    own = {row.campaign.pk: row for row in own_progress(request.user, page.object_list)}
    rows = [
        {
            "campaign": campaign,
            "submitted": submitted.get(campaign.pk, 0),
            "wanted": campaign.item_count * campaign.raters_per_item,
            "own": own.get(campaign.pk),
        }
        for campaign in page.object_list
    ]
    return render(request, "annotation/campaigns.html", {"page": page, "rows": rows})


@require_http_methods(["GET", "HEAD", "POST"])
def new_campaign(request: UserRequest) -> HttpResponse:
    """Choose a run; see how many items it would make; start."""
    if not request.user.is_researcher:
        raise Http404
    initial = {"run": request.GET.get("run")}
    form = NewCampaignForm(request.POST or None, user=request.user, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            campaign = campaigns.start_campaign(created_by=request.user, **form.cleaned_data)
        except campaigns.NothingToJudge as error:
            form.add_error("run", str(error))
        else:
            messages.success(
                request,
                f"The campaign has {campaign.item_count:,} items. Now invite the raters.",
            )
            return redirect(campaign)
    return render(
        request,
        "annotation/new_campaign.html",
        {"form": form, "has_runs": form.fields["run"].queryset.exists()},
    )


@require_safe
def campaign_outlook(request: UserRequest) -> HttpResponse:
    """The fragment that says how many items the chosen run and sides would make."""
    if not request.user.is_researcher:
        raise Http404
    run_id = key_of(request.GET.get("run"))
    sides = request.GET.get("sides", "")
    asked = request.GET.get("questionnaire", "")
    if asked in QUESTIONNAIRES and len(load_questionnaire(asked).sides) == 1:
        sides = load_questionnaire(asked).sides[0]
    run = None
    if run_id is not None and sides in Campaign.Side.values:
        run = Run.objects.visible_to(request.user).filter(pk=run_id).first()
    context = {"run": run, "outlook": campaigns.outlook(run, sides) if run else None}
    raters = request.GET.get("raters_per_item", "")
    context["raters"] = int(raters) if raters.isdecimal() and len(raters) < 4 else None
    return render(request, "annotation/_outlook.html", context)


@require_safe
@never_cache
def campaign_detail(request: UserRequest, slug: str) -> HttpResponse:
    """A researcher sees items, raters and results; a rater only their own progress."""
    led = Campaign.objects.led_by(request.user).select_related("run__dataset", "run__corpus")
    campaign = led.filter(slug=slug).first()
    if campaign is None:
        campaign = get_object_or_404(Campaign.objects.visible_to(request.user), slug=slug)
        own = own_progress(request.user, [campaign])
        context = {
            "campaign": campaign,
            "own": own[0] if own else None,
            "may_adjudicate": adjudicated_by(request.user).filter(pk=campaign.pk).exists(),
        }
        return render(request, "annotation/campaign_own.html", context)
    return render(request, "annotation/campaign.html", campaign_context(request, campaign))


def campaign_context(
    request: UserRequest,
    campaign: Campaign,
    link: dict[str, str] | None = None,
    *,
    invite_form: InviteForm | None = None,
    member_form: MemberForm | None = None,
) -> dict[str, object]:
    """What templates/annotation/campaign.html needs."""
    paginator = Paginator(campaign.items.defer("evidence", "context").order_by("position"), PAGE)
    paginator.count = campaign.item_count  # it never changes, so nobody need count
    page = paginator.get_page(request.GET.get("page"))
    members = campaigns.members(campaign)
    raters = campaigns.rater_progress(campaign, members)
    run = campaign.run
    questionnaire = questionnaire_of(campaign)
    return {
        "campaign": campaign,
        "questionnaire": questionnaire,
        "run": run,
        "scorer": run_scorer(run.config, run.versions),
        "page": page,
        "items": _with_submissions(page.object_list),
        "raters": raters,
        "adjudicators": [each for each in members if each.role == Membership.Role.ADJUDICATOR],
        "is_rater": any(rater.user == request.user and rater.membership for rater in raters),
        "wanted": campaign.item_count * campaign.raters_per_item,
        "submitted": sum(rater.counted for rater in raters),
        "late": sum(rater.late for rater in raters),
        # A questionnaire that does not ask about attribution has figures of its own.
        "result": None if questionnaire.figures else campaign_result(campaign),
        "invitations": campaign.invitations.usable().select_related("created_by"),
        "invite_form": invite_form or InviteForm(),
        "member_form": member_form or MemberForm(),
        "link": link,
    }


def _with_submissions(items: Iterable[Item]) -> list[dict[str, object]]:
    """Each item with how many submissions that count it has."""
    on_page = list(items)
    submitted = dict(
        Assignment.objects.filter(item__in=on_page, slot__isnull=False)
        .submitted()
        .order_by()
        .values_list("item")
        .annotate(Count("pk"))
    )
    return [{"item": item, "submitted": submitted.get(item.pk, 0)} for item in on_page]


@require_safe
def guidelines(request: UserRequest, slug: str) -> HttpResponse:
    """The questionnaire's instructions, on a page to read or print."""
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), slug=slug)
    return render(
        request,
        "annotation/guidelines.html",
        {
            "campaign": campaign,
            "questionnaire": questionnaire_of(campaign),
        },
    )


@require_POST
def close_campaign(request: UserRequest, slug: str) -> HttpResponse:
    campaign = get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
    campaigns.close_campaign(campaign)
    messages.success(request, "The campaign is closed. Everything saved stays as it is.")
    return redirect(campaign)


@require_POST
def reopen_campaign(request: UserRequest, slug: str) -> HttpResponse:
    campaign = get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
    campaigns.reopen_campaign(campaign)
    messages.success(request, "The campaign is open again.")
    return redirect(campaign)
