"""Campaigns: the list, a new one, and the page of one."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.adjudication.cases import adjudicated_by
from annotation.campaigns import lifecycle, progress
from annotation.campaigns.forms import NewCampaignForm
from annotation.campaigns.next_steps import own_progress
from annotation.campaigns.progress import phases_of
from annotation.campaigns.runs_field import offered
from annotation.exporting import formats_for
from annotation.items.run_groups import links_of
from annotation.items.selection import NothingToJudge, most_items_a_passage, outlook, too_few
from annotation.models import Campaign, Membership
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire
from annotation.raters.forms import InviteForm, MemberForm
from annotation.views.results import count_work, settings_context, with_work_counts
from pipeline.models import Run
from pipeline.pages.paging import key_of
from rarrweb.http import UserRequest

PAGE = 25
MOST_RUNS = 200
"""Runs that a form's outlook looks at."""


@require_safe
def campaign_list(request: UserRequest) -> HttpResponse:
    """Every campaign for a researcher, their own for anybody else."""
    visible = Campaign.objects.visible_to(request.user)
    page = Paginator(visible, PAGE).get_page(request.GET.get("page"))
    phases = phases_of(page.object_list)
    own = {row.campaign.pk: row for row in own_progress(request.user, page.object_list)}
    rows = [
        {
            "campaign": campaign,
            "submitted": sum(each.done for each in phases.get(campaign.pk, [])),
            "wanted": sum(each.wanted for each in phases.get(campaign.pk, [])),
            "own": own.get(campaign.pk),
        }
        for campaign in page.object_list
    ]
    return render(request, "annotation/campaigns.html", {"page": page, "rows": rows})


@require_http_methods(["GET", "HEAD", "POST"])
def new_campaign(request: UserRequest) -> HttpResponse:
    """Choose runs; see how many items they would make; start, or keep it as a draft."""
    if not request.user.is_researcher:
        raise Http404
    initial = {"run": request.GET.getlist("run")}
    form = NewCampaignForm(request.POST or None, user=request.user, initial=initial)
    if request.method == "POST" and form.is_valid():
        if "draft" in request.POST:
            draft = lifecycle.make_draft(created_by=request.user, **form.cleaned_data)
            messages.success(request, "The draft is saved. No rater sees it until you start it.")
            return redirect(draft)
        try:
            campaign = lifecycle.start_campaign(created_by=request.user, **form.cleaned_data)
        except NothingToJudge as error:
            form.add_error("run", str(error))
        else:
            items = f"{campaign.item_count:,} items"
            messages.success(request, f"The campaign has {items}. Now invite the raters.")
            return redirect(campaign)
    context = {"form": form, "offered": list(offered(form["run"]))}
    return render(request, "annotation/new_campaign.html", context)


@require_safe
def campaign_outlook(request: UserRequest) -> HttpResponse:
    """The fragment that says how many items the chosen runs and sides would make, run by run."""
    if not request.user.is_researcher:
        raise Http404
    sides = request.GET.get("sides", "")
    asked = request.GET.get("questionnaire", "")
    if asked in QUESTIONNAIRES and len(load_questionnaire(asked).sides) == 1:
        sides = load_questionnaire(asked).sides[0]
    runs: list[Run] = []
    if sides in Campaign.Side.values:
        keys = [key for key in map(key_of, request.GET.getlist("run")[:MOST_RUNS]) if key]
        visible = Run.objects.visible_to(request.user).select_related("dataset")
        runs = list(visible.filter(pk__in=keys).order_by("pk"))
    is_drawn = request.GET.get("sampling", "") not in {"", Campaign.Sampling.ALL}
    size = _number(request.GET.get("sample_size")) if is_drawn else None
    allocation = request.GET.get("allocation", "")
    if allocation not in Campaign.Allocation.values:
        allocation = Campaign.Allocation.PROPORTIONAL
    raters = _number(request.GET.get("raters_per_item"))
    pilot = _number(request.GET.get("pilot_size"))
    planned = Campaign(
        sides=sides,
        raters_per_item=raters or 1,
        pilot_size=pilot or 0,
        pilot_raters=_number(request.GET.get("pilot_raters")) or 3,
        may_repeat_passages=bool(request.GET.get("may_repeat_passages")),
        items_per_passage=most_items_a_passage(runs, sides),
    )
    found = outlook(
        runs, sides, sample_size=size, allocation=allocation, without=_campaign_left_out(request)
    )
    context = {
        "outlook": found if runs else None,
        "too_few": too_few(found.too_few) if found.too_few else "",
        "size": size,
        "raters": raters,
        "pilot": pilot,
        "planned": planned,
    }
    return render(request, "annotation/_outlook.html", context)


def _campaign_left_out(request: UserRequest) -> Campaign | None:
    """The campaign whose passages the form's draft leaves out."""
    if not request.GET.get("leaves_out_copied"):
        return None
    drafts = Campaign.objects.led_by(request.user).filter(slug=request.GET.get("draft", ""))
    draft = drafts.select_related("copied_from").first()
    return draft.copied_from if draft else None


def _number(text: str | None) -> int | None:
    """A positive whole number that somebody is typing; None for anything else."""
    return int(text) or None if text and text.isdecimal() and len(text) < 8 else None


@require_safe
@never_cache
def campaign_detail(request: UserRequest, slug: str) -> HttpResponse:
    """A researcher sees items, raters and results; a rater only their own progress."""
    led = Campaign.objects.led_by(request.user).select_related("checks", "copied_from")
    campaign = with_work_counts(led).filter(slug=slug).first()
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
    items = campaign.items.defer("evidence", "context").annotate(run=F("revision__run"))
    paginator = Paginator(items.order_by("position"), PAGE)
    paginator.count = campaign.item_count  # it never changes, so nobody need count
    page = paginator.get_page(request.GET.get("page"))
    members = progress.members(campaign)
    counted = count_work(campaign, request.GET.get("phase"))
    phase = counted["phase"]
    raters = progress.rater_progress(campaign, members, counted["by_rater"])
    of_run = {link.run_id: link for link in links_of(campaign)}
    return {
        **counted,
        **settings_context(campaign),
        "page": page,
        "items": [
            {"item": item, "submitted": item.done, "link": of_run[item.run]}  # type: ignore[attr-defined]  # annotated above
            for item in page.object_list
        ],
        "raters": raters,
        "raters_address": f"{campaign.get_absolute_url()}?phase={phase or 'all'}&raters=",
        "raters_page": Paginator(raters, PAGE).get_page(request.GET.get("raters")),
        "adjudicators": [each for each in members if each.role == Membership.Role.ADJUDICATOR],
        "is_rater": any(rater.user == request.user and rater.membership for rater in raters),
        "late": sum(rater.late for rater in raters),
        "invitations": campaign.invitations.usable().select_related("created_by"),
        "invite_form": invite_form or InviteForm(),
        "member_form": member_form or MemberForm(),
        "link": link,
        "formats": formats_for(campaign),
        "talk": {"waiting": counted["questions_waiting"]},
    }
