"""The form of new campaigns."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.campaigns.creation import make_campaigns
from annotation.campaigns.forms import COMMON, DraftForm, NewCampaignForm, newest_runs, run_choices
from annotation.campaigns.lifecycle import CannotJudge
from annotation.campaigns.plan import Plan, plan_of
from annotation.items.selection import NothingToJudge
from annotation.models import Campaign, Membership
from annotation.views.campaign_head import led_campaign
from pipeline.models import Dataset, Passage
from pipeline.runs.imported import get_unrevised_run
from pipeline.runs.start import RunRefused
from rarrweb.accounts.http import UserRequest

DATASETS_OFFERED = 200
LISTED = ("run", "questionnaire", "excluded_problems")
"""Query parameters that fill the form with several values."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def new_campaign(request: UserRequest) -> HttpResponse:
    if not request.user.is_researcher:
        raise Http404
    data, refusal = _with_dataset(request)
    form = NewCampaignForm(
        data if request.method == "POST" else None, user=request.user, initial=_initial(request)
    )
    if refusal:
        form.add_error(None, refusal)
    only_previews = bool({"find", "preview", "add_dataset"} & request.POST.keys())
    if request.method == "POST" and form.is_valid() and not only_previews:
        try:
            made = make_campaigns(
                **form.chosen(), created_by=request.user, begins="draft" not in request.POST
            )
        except CannotJudge as error:
            form.add_error("questionnaire", str(error))
        except NothingToJudge as error:
            form.add_error("run", str(error))
        else:
            return _made(request, form, made)
    choices = run_choices(form)
    if any(run.has_revised_texts for run in choices["chosen_runs"]):
        form.initial.setdefault("questionnaire", [*COMMON])
    context = {
        "form": form,
        **choices,
        "kinds": form.kinds(),
        "datasets": _datasets(request),
        "dataset": request.GET.get("dataset", ""),
        "choice": form.choice(),
        "plan": _plan(form) if request.method == "POST" else None,
    }
    return render(request, "annotation/new_campaign.html", context)


def _initial(request: UserRequest) -> dict[str, Any]:
    """Return the values of the address; without any run, the newest ones."""
    initial: dict[str, Any] = {name: request.GET.getlist(name) for name in LISTED}
    initial = {name: given for name, given in initial.items() if given}
    if "sides" in request.GET:
        initial["sides"] = request.GET["sides"]
    if not {"run", "dataset"} & request.GET.keys():
        initial["run"] = [run.pk for run in newest_runs(request.user)]
    return initial


def _with_dataset(request: UserRequest) -> tuple[QueryDict, str]:
    """Return the form's data with a run of the chosen dataset's texts, or the reason why not."""
    slug = request.POST.get("dataset")
    if not slug:
        return request.POST, ""
    dataset = get_object_or_404(Dataset.objects.visible_to(request.user), slug=slug)
    try:
        run = get_unrevised_run(dataset, created_by=request.user)
    except RunRefused as error:
        return request.POST, str(error)
    data = request.POST.copy()
    data.setlist("run", list(dict.fromkeys([*data.getlist("run"), str(run.pk)])))
    return data, ""


def _datasets(request: UserRequest) -> list[tuple[str, str, int]]:
    """Return slug, name and passage count of the newest datasets with texts."""
    visible = Dataset.objects.visible_to(request.user).current().filter(is_complete=True)
    with_text = Passage.objects.filter(dataset=OuterRef("pk")).exclude(text="")
    rows = visible.filter(Exists(with_text), passage_count__gt=0)
    return list(rows.values_list("slug", "name", "passage_count")[:DATASETS_OFFERED])


def _made(request: UserRequest, form: NewCampaignForm, made: list[Campaign]) -> HttpResponse:
    first, *others = made
    people = len(form.chosen_people())
    if first.is_draft:
        drafts = f"{len(made)} drafts are" if others else "The draft is"
        messages.success(request, f"{drafts} saved. No rater sees it until you start it.")
        return redirect("annotation:campaigns") if others else redirect(first)
    items = sum(each.item_count for each in made)
    what = f"{len(made)} campaigns have" if others else "The campaign has"
    noun = "item" if items == 1 else "items"
    if people:
        who = "1 rater finds" if people == 1 else f"{people} raters find"
        messages.success(request, f"{what} {items:,} {noun}. {who} them on the home page.")
        return redirect("annotation:campaigns") if others else redirect(first)
    messages.success(request, f"{what} {items:,} {noun}. Now add raters.")
    also = urlencode({"also": [each.slug for each in others]}, doseq=True)
    return redirect(f"{reverse('annotation:add-raters', args=[first.slug])}{also and '?' + also}")


def _plan(form: NewCampaignForm) -> Plan | None:
    form.is_valid()
    data = form.cleaned_data
    raters = len(form.chosen_people()) if {"person", "same_as"} <= data.keys() else 0
    return plan_of(form, raters=raters)


@require_safe
@never_cache
def campaign_preview(request: UserRequest) -> HttpResponse:
    if not request.user.is_researcher:
        raise Http404
    if not request.GET.get("draft"):
        plan = _plan(NewCampaignForm(request.GET, user=request.user))
        return render(request, "annotation/_plan.html", {"plan": plan, "is_fragment": True})
    draft = led_campaign(request, request.GET["draft"], "copied_from")
    form = DraftForm(request.GET, draft=draft, user=request.user)
    form.is_valid()
    without = draft.copied_from if form.cleaned_data.get("excludes_copied") else None
    raters = draft.memberships.filter(role=Membership.Role.ANNOTATOR).count()
    plan = plan_of(form, raters=raters, without=without)
    return render(request, "annotation/_plan.html", {"plan": plan})
