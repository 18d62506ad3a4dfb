"""Try a passage: the form, the revision as it comes about, and what may be done with it."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pipeline.data.datasets import create_dataset
from pipeline.data.slugs import NameTaken
from pipeline.engine.scorer_info import run_scorer
from pipeline.forms.trials import KeepForm, TrialForm, trial_config
from pipeline.models import Trial
from pipeline.pages.stored_page import stored_page
from pipeline.pages.trial_steps import steps_of
from pipeline.trials import example, lifecycle
from pipeline.views.lists import researchers_only, worker_state
from rarrweb.http import UserRequest

RECENT = 8


@require_http_methods(["GET", "HEAD", "POST"])
def try_passage(request: UserRequest) -> HttpResponse:
    researchers_only(request)
    form = TrialForm(request.POST or None, request.FILES or None, user=request.user)
    if form.is_valid():
        cleaned = {name: value for name, value in form.cleaned_data.items() if name != "where"}
        return redirect(lifecycle.start_trial(owner=request.user, **cleaned))
    context = {
        "form": form,
        "recent": Trial.objects.visible_to(request.user).defer(
            "result", "sentences", "sources", "versions", "calls"
        )[:RECENT],
        "days": lifecycle.KEPT_DAYS,
        "example": example.example_passage(),
        "example_corpus": example.example_corpus(request.user),
    }
    return render(request, "pipeline/try.html", context | worker_state())


@require_POST
def try_example(request: UserRequest) -> HttpResponse:
    researchers_only(request)
    passage, corpus = example.example_passage(), example.example_corpus(request.user)
    config = trial_config(has_sources=corpus is None)
    if corpus and not config.needs_corpus:
        corpus, config = None, trial_config(has_sources=True)
    trial = lifecycle.start_trial(
        owner=request.user,
        text=passage.text,
        context=passage.context,
        config=config,
        corpus=corpus,
        sources=() if corpus else example.example_sources(),
    )
    return redirect(trial)


@require_safe
def trial_detail(request: UserRequest, trial_id: int) -> HttpResponse:
    return _page(request, _own(request, trial_id), KeepForm(user=request.user))


@require_safe
def shared_trial(request: UserRequest, token: str) -> HttpResponse:
    """Whoever is logged in may read what somebody shares, whatever else they may see."""
    trials = Trial.objects.shared_as(token).select_related("corpus", "owner")
    return _page(request, get_object_or_404(trials), None)


@require_safe
def trial_status(request: UserRequest, trial_id: int) -> HttpResponse:
    """The revision as far as it has come; 204, which changes nothing, where there is no news."""
    trial = _own(request, trial_id)
    if trial.is_over:
        response = HttpResponse()
        response.headers["HX-Refresh"] = "true"  # the page is another one then
        return response
    state = worker_state()
    silent = lifecycle.is_silent(trial)
    seen = [request.GET.get(name) for name in ("seen", "worker", "silent")]
    if seen == [str(trial.news), str(state["worker_alive"]), str(silent)]:
        return HttpResponse(status=204)
    return render(request, "pipeline/_trial.html", _shown(trial) | state)


@require_POST
def retry_trial(request: UserRequest, trial_id: int) -> HttpResponse:
    trial = _own(request, trial_id)
    lifecycle.retry_trial(trial)
    return redirect(trial)


@require_http_methods(["GET", "HEAD", "POST"])
def keep_trial(request: UserRequest, trial_id: int) -> HttpResponse:
    trial = _own(request, trial_id)
    if request.method != "POST":  # the form with errors, loaded again
        return redirect(trial)
    form = KeepForm(request.POST, user=request.user)
    if not form.is_valid():
        return _page(request, trial, form)
    dataset = form.cleaned_data["dataset"]
    if not dataset:
        try:
            dataset = create_dataset(name=form.cleaned_data["name"], created_by=request.user)
        except NameTaken as error:
            form.add_error("name", str(error))
            return _page(request, trial, form)
    lifecycle.keep_trial(trial, dataset=dataset)
    messages.success(request, f"The passage is kept in the dataset {dataset.name}.")
    return redirect(trial)


@require_POST
def share_trial(request: UserRequest, trial_id: int) -> HttpResponse:
    trial = _own(request, trial_id)
    lifecycle.share_trial(trial)
    return redirect(f"{trial.get_absolute_url()}#share")


@require_POST
def unshare_trial(request: UserRequest, trial_id: int) -> HttpResponse:
    trial = _own(request, trial_id)
    lifecycle.unshare_trial(trial)
    messages.success(request, "The link leads nowhere from now on.")
    return redirect(trial)


def _own(request: UserRequest, trial_id: int) -> Trial:
    visible = Trial.objects.visible_to(request.user).select_related("corpus", "kept_in")
    return get_object_or_404(visible, pk=trial_id)


def _page(request: UserRequest, trial: Trial, keep: KeepForm | None) -> HttpResponse:
    """The trial's page; without `keep` the one that others may read."""
    context = _shown(trial) | worker_state()
    if keep:
        link = reverse("pipeline:shared-trial", args=[trial.share_token or "-"])
        context |= {
            "keep": keep,
            "is_own": True,
            "days": lifecycle.KEPT_DAYS,
            "share_link": request.build_absolute_uri(link) if trial.share_token else "",
            "new_run": f"{reverse('pipeline:new-run')}?{urlencode(_run_like(trial))}",
        }
    return render(request, "pipeline/trial.html", context)


def _shown(trial: Trial) -> dict[str, Any]:
    page = stored_page(trial)
    silent = lifecycle.is_silent(trial)
    return {
        "trial": trial,
        # By the names that the fragments of a revision's page know.
        "revision": trial,
        "run": trial,
        "page": page,
        "scorer": run_scorer(trial.config, trial.versions),
        "gate": str(trial.config.get("llm", "")),
        "steps": steps_of(trial, page.result if page else None, is_silent=silent),
        "is_silent": silent,
        "silent_seconds": lifecycle.SILENT_SECONDS,
    }


def _run_like(trial: Trial) -> Mapping[str, str]:
    """How the form of a new run begins that does the same over a dataset."""
    given = {"system": trial.system}
    if trial.corpus:
        given["corpus"] = trial.corpus.slug
    if trial.kept_in:
        given["dataset"] = trial.kept_in.slug
    return given
