"""Campaigns: the list, a new one, and the page of one."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Max, Subquery
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import asking, campaigns
from annotation.adjudicating import adjudicated_by
from annotation.forms import InviteForm, MemberForm, NewCampaignForm
from annotation.keeping import kept
from annotation.models import Adjudication, Campaign, Membership, Thread
from annotation.next_steps import own_progress
from annotation.progress import phases_of, shown_phase
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire, questionnaire_of
from annotation.results import CampaignResult, campaign_result
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
    """Choose a run; see how many items it would make; start, or keep it as a draft."""
    if not request.user.is_researcher:
        raise Http404
    initial = {"run": request.GET.get("run")}
    form = NewCampaignForm(request.POST or None, user=request.user, initial=initial)
    if request.method == "POST" and form.is_valid():
        if "draft" in request.POST:
            draft = campaigns.make_draft(created_by=request.user, **form.cleaned_data)
            messages.success(request, "The draft is saved. No rater sees it until you start it.")
            return redirect(draft)
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
    is_drawn = request.GET.get("sampling", "") not in {"", Campaign.Sampling.ALL}
    size = _number(request.GET.get("sample_size")) if is_drawn else None
    raters, pilot = (
        _number(request.GET.get("raters_per_item")),
        _number(request.GET.get("pilot_size")),
    )
    planned = Campaign(
        sides=sides,
        raters_per_item=raters or 1,
        pilot_size=pilot or 0,
        pilot_raters=_number(request.GET.get("pilot_raters")) or 3,
        may_repeat_passages=bool(request.GET.get("may_repeat_passages")),
    )
    context = {
        "run": run,
        "outlook": campaigns.outlook(run, sides, sample_size=size) if run else None,
        "raters": raters,
        "pilot": pilot,
        "planned": planned,
    }
    return render(request, "annotation/_outlook.html", context)


def _number(text: str | None) -> int | None:
    """A whole number that somebody is typing; None while it is none, or 0."""
    return int(text) or None if text and text.isdecimal() and len(text) < 8 else None


@require_safe
@never_cache
def campaign_detail(request: UserRequest, slug: str) -> HttpResponse:
    """A researcher sees items, raters and results; a rater only their own progress."""
    related = ("run__dataset", "run__corpus", "checks")
    led = Campaign.objects.led_by(request.user).select_related(*related)
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
    run = campaign.run
    questionnaire = questionnaire_of(campaign)
    phases = phases_of([campaign]).get(campaign.pk, [])
    phase = shown_phase(campaign, phases, request.GET.get("phase"))
    shown = [each for each in phases if phase in {"", each.phase}]

    beside = _beside_the_work(campaign)
    by_rater: dict[int, dict[str, Any]] = {}

    def state() -> str:
        by_rater.update(campaigns.counts_by_rater(campaign))
        return f"{by_rater}:{beside['settled']}:{beside['settled_last']}"

    def count() -> tuple[dict[int, dict[str, Any]], CampaignResult | None]:
        # A questionnaire that does not ask about attribution has figures of its own.
        is_own = bool(questionnaire.figures)
        return by_rater, None if is_own else campaign_result(campaign, phase=phase)

    counted = kept(f"campaign.{phase}", campaign, count, state_of=state)
    raters = campaigns.rater_progress(campaign, members, counted.value[0])
    return {
        "phases": phases,
        "phase": phase,
        "campaign": campaign,
        "questionnaire": questionnaire,
        "run": run,
        "scorer": run_scorer(run.config, run.versions),
        "page": page,
        "items": [{"item": item, "submitted": item.done} for item in page.object_list],
        "raters": raters,
        "adjudicators": [each for each in members if each.role == Membership.Role.ADJUDICATOR],
        "is_rater": any(rater.user == request.user and rater.membership for rater in raters),
        "wanted": sum(each.wanted for each in shown),
        "submitted": sum(each.done for each in shown),
        "shown_items": sum(each.items for each in shown),
        "late": sum(rater.late for rater in raters),
        "result": counted.value[1],
        "counted_at": counted.made_at if counted.stands else None,
        "invitations": campaign.invitations.usable().select_related("created_by"),
        "invite_form": invite_form or InviteForm(),
        "member_form": member_form or MemberForm(),
        "link": link,
        "talk": {"waiting": beside["waiting"] or 0},
    }


def _beside_the_work(campaign: Campaign) -> dict[str, Any]:
    """Questions that wait for an answer, settled answers and the time of the last. One query."""
    threads = asking.waiting(Thread.objects.filter(campaign=campaign)).order_by()
    settled = Adjudication.objects.filter(item__campaign=campaign).order_by()
    waiting = threads.values("campaign").annotate(n=Count("pk"))
    counted = settled.values("item__campaign").annotate(n=Count("pk"), last=Max("updated_at"))
    return Campaign.objects.values(
        waiting=Subquery(waiting.values("n")),
        settled=Subquery(counted.values("n")),
        settled_last=Subquery(counted.values("last")),
    ).get(pk=campaign.pk)


@require_POST
def close_campaign(request: UserRequest, slug: str) -> HttpResponse:
    campaign = get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
    try:
        campaigns.close_campaign(campaign)
    except campaigns.AlreadyBegun as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The campaign is closed. Everything saved stays as it is.")
    return redirect(campaign)


@require_POST
def reopen_campaign(request: UserRequest, slug: str) -> HttpResponse:
    campaign = get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
    try:
        campaigns.reopen_campaign(campaign)
    except campaigns.AlreadyBegun as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request, f"The campaign is open again: its {campaign.get_state_display()} goes on."
        )
    return redirect(campaign)
