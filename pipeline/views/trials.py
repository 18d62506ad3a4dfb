"""Trials: form, progress and result."""

import zlib
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pipeline.data.datasets import create_dataset
from pipeline.data.slugs import NameTaken
from pipeline.engine.scorer_info import run_scorer
from pipeline.forms.trials import KeepForm, TrialForm, trial_config
from pipeline.models import Revision
from pipeline.pages.stored_page import steps_of, stored_page
from pipeline.rarr.errors import RarrError
from pipeline.runs import start
from pipeline.trials import lifecycle
from pipeline.views.lists import researchers_only, worker_state
from pipeline.views.revisions import share_context
from rarrweb.accounts.http import UserRequest

RECENT = 8


@require_http_methods(["GET", "HEAD", "POST"])
def try_passage(request: UserRequest) -> HttpResponse:
    researchers_only(request)
    form = TrialForm(request.POST or None, request.FILES or None, user=request.user)
    if form.is_valid():
        cleaned = {name: value for name, value in form.cleaned_data.items() if name != "where"}
        try:
            return _to_page(lifecycle.start_trial(owner=request.user, **cleaned))
        except RarrError as error:
            form.add_error(None, f"Nothing can be searched: {error}")
    trials = Revision.objects.trials_of(request.user).select_related("run", "share").order_by("-pk")
    context = {
        "form": form,
        "recent": trials.only("state", "original_text", "run__created_at", "share__id")[:RECENT],
        "days": lifecycle.RETENTION_DAYS,
        "example": lifecycle.example_passage(),
        "example_corpus": lifecycle.example_corpus(request.user),
        "llm": settings.RARR_LLM,
    }
    return render(request, "pipeline/try.html", context | worker_state())


@require_POST
def try_example(request: UserRequest) -> HttpResponse:
    researchers_only(request)
    passage, corpus = lifecycle.example_passage(), lifecycle.example_corpus(request.user)
    if corpus and not trial_config(has_sources=False).needs_corpus:
        corpus = None
    trial = lifecycle.start_trial(
        owner=request.user,
        text=passage.text,
        context=passage.context,
        config=trial_config(has_sources=corpus is None),
        corpus=corpus,
        sources=() if corpus else lifecycle.example_sources(),
    )
    return _to_page(trial)


@require_safe
def trial_detail(request: UserRequest, revision_id: int) -> HttpResponse:
    return _page(request, _trial(request, revision_id), KeepForm(user=request.user))


@require_safe
def trial_status(request: UserRequest, revision_id: int) -> HttpResponse:
    """Render the progress; 204 if it is still `seen`."""
    trial = _trial(request, revision_id)
    if trial.is_over:
        return HttpResponse(headers={"HX-Refresh": "true"})  # the page changes
    progress = _progress(trial)
    if request.GET.get("seen") == str(progress["seen"]):
        return HttpResponse(status=204)
    return render(request, "pipeline/_trial.html", progress)


@require_POST
def retry_trial(request: UserRequest, revision_id: int) -> HttpResponse:
    trial = _trial(request, revision_id)
    start.retry_failed(trial.run)
    return _to_page(trial)


@require_http_methods(["GET", "HEAD", "POST"])
def keep_trial(request: UserRequest, revision_id: int) -> HttpResponse:
    trial = _trial(request, revision_id)
    if request.method != "POST":  # a reload of the form with errors
        return _to_page(trial)
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
    lifecycle.keep_passage(trial, dataset=dataset)
    messages.success(request, f"The passage is in the dataset {dataset.name}.")
    return redirect(dataset)


def _to_page(trial: Revision) -> HttpResponse:
    return redirect("pipeline:trial", trial.pk)


def _trial(request: UserRequest, revision_id: int) -> Revision:
    trials = Revision.objects.trials_of(request.user)
    return get_object_or_404(
        trials.select_related("run__dataset", "run__corpus", "passage", "share__shared_by"),
        pk=revision_id,
    )


def _page(request: UserRequest, trial: Revision, keep: KeepForm) -> HttpResponse:
    run = trial.run
    like = {"system": run.system} | ({"corpus": run.corpus.slug} if run.corpus else {})
    context = {
        **_progress(trial),
        **share_context(request, trial),
        "scorer": run_scorer(run.config, run.versions),
        "keep": keep,
        "days": lifecycle.RETENTION_DAYS,
        "new_run": f"{reverse('pipeline:new-run')}?{urlencode(like)}",
    }
    return render(request, "pipeline/trial.html", context)


def _progress(trial: Revision) -> dict[str, Any]:
    """Return the context of `_trial.html`."""
    page = stored_page(trial)
    worker = worker_state()
    steps = steps_of(trial, page.result if page else None)
    state = (trial.state, trial.started_at, steps, worker)
    return {
        "revision": trial,
        "run": trial.run,
        "page": page,
        "gate": trial.run.gate_model,
        "steps": steps,
        "seen": zlib.crc32(repr(state).encode()),
        **worker,
    }
