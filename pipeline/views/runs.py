"""The form of new runs, and the pages and buttons of a run."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar, cast

from django.conf import settings
from django.contrib import messages
from django.core.cache import cache
from django.forms import MultipleChoiceField
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pipeline.engine.scorer_info import run_scorer
from pipeline.figures import comparison, costs
from pipeline.figures.progress import (
    Progress,
    failure_reasons,
    retrying_passages,
    seconds_per_passage,
)
from pipeline.figures.results import answer_results, run_results
from pipeline.forms.runs import BudgetForm, NewRunForm, values_of
from pipeline.models import Revision, Run
from pipeline.pages.revision_list import first_rows
from pipeline.pages.run_table import run_head
from pipeline.rarr.errors import BadConfig
from pipeline.runs import lifecycle, scoring, start
from pipeline.runs.budget import limits_of, reply_counts
from pipeline.runs.imported import get_unrevised_run
from pipeline.views.datasets import visible_dataset
from pipeline.views.lists import researchers_only, visible_run, worker_state
from pipeline.workers import registry
from rarrweb.accounts.http import UserRequest
from rarrweb.web.paging import key_of

CACHED_SECONDS = 10
T = TypeVar("T")


@require_http_methods(["GET", "HEAD", "POST"])
def new_run(request: UserRequest) -> HttpResponse:
    researchers_only(request)
    key = key_of(request.GET.get("run"))
    like = visible_run(request, key) if key else None
    initial = values_of(like) if like else {}
    for name, field in NewRunForm.base_fields.items():
        if name in request.GET:
            is_list = isinstance(field, MultipleChoiceField)
            initial[name] = request.GET.getlist(name) if is_list else request.GET[name]
    form = NewRunForm(request.POST or None, user=request.user, initial=initial)
    if form.is_valid():
        given = form.cleaned_data
        try:
            configs = form.configs()
            searches = any(config.needs_corpus for config in configs)
            runs = start.start_runs(
                dataset=given["dataset"],
                corpus=given.get("corpus") if searches else None,  # the form preselects one
                configs=configs,
                created_by=request.user,
            )
        except BadConfig as refusal:
            form.add_error(refusal.field if refusal.field in form.fields else None, str(refusal))
        except start.RunRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            for note in dict.fromkeys(filter(None, map(start.sources_note, runs))):
                messages.warning(request, note)
            return redirect(runs[0])
    context = {"form": form, "like": like, "llm": settings.RARR_LLM, **worker_state()}
    return render(request, "pipeline/new_run.html", context)


@require_safe
def new_run_plan(request: UserRequest) -> HttpResponse:
    """Render how many runs the form would start, and how long they would take."""
    researchers_only(request)
    form = NewRunForm(request.GET, user=request.user)
    try:
        configs = form.configs() if form.is_valid() else []
    except BadConfig:  # the form says it once it is sent
        configs = []
    passages = form.cleaned_data["dataset"].passage_count if configs else 0
    known = Revision.objects.visible_to(request.user) | Revision.objects.trials_of(request.user)
    systems = {config.system for config in configs}
    known = known.filter(run__system__in=systems, run__config__llm=settings.RARR_LLM)
    pace = seconds_per_passage(known) if configs else None
    context = {
        "runs": len(configs),
        "passages": passages,
        "time": timedelta(seconds=pace * passages * len(configs)) if pace else None,
    }
    return render(request, "pipeline/_start_run.html", context)


@require_safe
def run_detail(request: UserRequest, run_id: int) -> HttpResponse:
    return render(request, "pipeline/run.html", _status(visible_run(request, run_id)))


@require_safe
def run_status(request: UserRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    context = _status(run)
    response = render(request, "pipeline/_run_status.html", context | {"is_fragment": True})
    if run.is_over and not context["goes_on"]:
        response.headers["HX-Refresh"] = "true"  # the head and the parts of the page change too
    return response


@require_safe
def run_cost(request: UserRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    context = {
        "costs": costs.passage_costs(run),
        "spending": costs.spending(run),
        "steps": costs.step_costs(run),
        **run_head(run, tab="run-cost"),
    }
    return render(request, "pipeline/run_cost.html", context)


@require_safe
def run_configuration(request: UserRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    context = {
        "configuration": list(comparison.flat_settings(run.config)),
        "versions": sorted(run.versions.items()),
        **run_head(run, tab="run-configuration"),
    }
    return render(request, "pipeline/run_configuration.html", context)


@require_POST
def score_run(request: UserRequest, run_id: int) -> HttpResponse:
    """Queue the scoring of an imported run."""
    run = visible_run(request, run_id)
    try:
        scoring.start_scoring(run, by=request.user)
    except (start.RunRefused, BadConfig) as refusal:
        messages.error(request, str(refusal))
    return redirect(f"{run.get_absolute_url()}#scoring")


@require_POST
def score_dataset(request: UserRequest, slug: str) -> HttpResponse:
    """Queue the scoring of a dataset's answers."""
    dataset = visible_dataset(request, slug)
    try:
        run = get_unrevised_run(dataset, created_by=request.user)
        scoring.start_scoring(run, by=request.user)
    except (start.RunRefused, BadConfig) as refusal:
        messages.error(request, str(refusal))
        return redirect(dataset)
    return redirect(f"{run.get_absolute_url()}#scoring")


@require_POST
def pause_run(request: UserRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    if lifecycle.pause(run):
        messages.success(request, "The run is paused. Passages in progress will finish.")
    return redirect(run)


@require_POST
def resume_run(request: UserRequest, run_id: int) -> HttpResponse:
    """Resume a paused run, under the form's budget if it paused by itself."""
    run = visible_run(request, run_id)
    form = BudgetForm(request.POST)
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, " ".join(map(str, errors)))
        return redirect(run)
    # A page from before the pause sends no limits, which must not lift them.
    sent = request.POST.keys() & form.cleaned_data.keys()
    try:
        if start.resume_run(run, limits={name: form.cleaned_data[name] or 0 for name in sent}):
            messages.success(request, "The run is resumed.")
    except BadConfig as refusal:
        messages.error(request, str(refusal))
    return redirect(run)


@require_POST
def cancel_run(request: UserRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    if lifecycle.cancel(run):
        messages.success(request, f"The run is cancelled. Finished {run.noun}s are kept.")
    return redirect(run)


@require_POST
def retry_run(request: UserRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    if count := start.retry_failed(run, failure=request.POST.get("failure")):
        noun = "passage waits" if count == 1 else "passages wait"
        messages.success(request, f"{count} failed {noun} for another try.")
    else:
        messages.info(request, "No passage of this run needs another try.")
    return redirect(run)


def _status(run: Run) -> dict[str, Any]:
    """Return the context of `_run_head.html` and `_run_status.html`."""
    head = run_head(run, tab="run")
    progress, together = head["progress"], head["together"]
    worker_alive = registry.alive().exists()
    # Passages in work end after a pause or a cancellation, if a worker is alive.
    still_ends = progress.working > 0 and worker_alive
    goes_on = still_ends or any(each.state == Run.State.RUNNING for each in [run, *together])
    return {
        **head,
        **_while_running([run], "figures", lambda: _figures(run)),
        "rows": first_rows(run) if run.is_over else [],
        "systems": _systems(together, head["progress_of"]) if goes_on and together else None,
        "scoring": getattr(run, "scoring", None) if scoring.can_be_scored(run) else None,
        "entailment": settings.RARR_ENTAILMENT,
        "scorer": run_scorer(run.config, run.versions),
        "reasons": failure_reasons(run) if progress.failed else [],
        "replies": reply_counts(run),
        "spending": costs.spending(run),
        "budget_form": BudgetForm(initial=limits_of(run)),
        "goes_on": goes_on,
        "retrying": None if run.is_over else retrying_passages(run),
        "worker_alive": worker_alive,
        "worker_command": registry.START_COMMAND,
    }


def _figures(run: Run) -> dict[str, Any]:
    return {
        "results": None if run.shows_answers else run_results(run),
        "answers": answer_results(run) if run.shows_answers else None,
    }


def _systems(together: Sequence[Run], progress: Mapping[int, Progress]) -> dict[str, Any]:
    compute = partial(comparison.shared_attribution, together)
    n, after = _while_running(together, "attribution", compute)
    rows = [(run, progress[run.pk], after[run.pk]) for run in together]
    return {"n": n, "rows": rows, "has_failed": any(one.failed for _, one, _ in rows)}


def _while_running(runs: Sequence[Run], name: str, compute: Callable[[], T]) -> T:
    """Cache results of a running run, because every open page polls."""
    if not any(run.state == Run.State.RUNNING for run in runs):
        return compute()
    keys = "-".join(str(run.pk) for run in runs)
    key = f"pipeline.run-status.{name}.{keys}.{runs[0].created_at.timestamp()}"
    return cast("T", cache.get_or_set(key, compute, CACHED_SECONDS))
