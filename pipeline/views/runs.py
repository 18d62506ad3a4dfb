"""Runs: the list, a new one, one with its progress and results, and the buttons on it."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pipeline.engine.configuration import BUDGETS
from pipeline.engine.scorer_info import run_scorer
from pipeline.forms.budgets import BudgetForm
from pipeline.forms.runs import NewRunForm
from pipeline.models import Run
from pipeline.pages.paging import key_of
from pipeline.runs import costs, lifecycle, start
from pipeline.runs.costs import spent_by
from pipeline.views.lists import researchers_only, worker_state
from rarrweb.http import UserRequest

RUNS_A_PAGE = 25
FAILURES_SHOWN = 10


@require_safe
def run_list(request: UserRequest) -> HttpResponse:
    researchers_only(request)
    visible = Run.objects.visible_to(request.user)
    before = key_of(request.GET.get("before"))
    page = visible.select_related("dataset", "corpus", "created_by").order_by("-pk")
    if before is not None:
        page = page.filter(pk__lt=before)
    rows = list(page[: RUNS_A_PAGE + 1])
    shown = rows[:RUNS_A_PAGE]
    progress = lifecycle.progress_of(shown)
    attribution = lifecycle.mean_attribution_of(run for run in shown if run.is_over)
    scorers = {run.pk: run_scorer(run.config, run.versions) for run in shown}
    context = {
        "rows": [
            (run, progress[run.pk], attribution.get(run.pk), scorers[run.pk]) for run in shown
        ],
        # Each once, of the runs that show a figure.
        "scorers": list(dict.fromkeys(filter(None, (scorers[pk] for pk in attribution)))),
        "older": shown[-1].pk if len(rows) > RUNS_A_PAGE else None,
        "is_first_page": before is None,
    }
    return render(request, "pipeline/runs.html", context | worker_state())


@require_http_methods(["GET", "HEAD", "POST"])
def new_run(request: UserRequest) -> HttpResponse:
    researchers_only(request)
    initial = {name: request.GET[name] for name in ("dataset", "corpus") if name in request.GET}
    form = NewRunForm(request.POST or None, user=request.user, initial=initial)
    if form.is_valid():
        try:
            run = start.start_run(
                dataset=form.cleaned_data["dataset"],
                corpus=form.cleaned_data.get("corpus"),
                config=form.cleaned_data["config"],
                created_by=request.user,
            )
        except start.RunRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect(run)
    return render(request, "pipeline/new_run.html", {"form": form, **worker_state()})


@require_safe
def run_detail(request: UserRequest, run_id: int) -> HttpResponse:
    run = _run(request, run_id)
    failed = run.revisions.failed().select_related("passage").order_by("pk")
    context = {
        "results": lifecycle.results(run),
        "costs": costs.passage_costs(run),
        "scorer": run_scorer(run.config, run.versions),
        "failures": failed.only("failure", "failure_message", "passage__external_id")[
            :FAILURES_SHOWN
        ],
        "failure_reasons": lifecycle.failure_reasons(run),
        "configuration": list(_flat(run.config)),
        "versions": sorted(run.versions.items()),
    }
    return render(request, "pipeline/run.html", context | _status(run))


@require_safe
def run_status(request: UserRequest, run_id: int) -> HttpResponse:
    run = _run(request, run_id)
    status = _status(run)
    response = render(request, "pipeline/_run_status.html", status)
    if run.is_over and not status["goes_on"]:
        response.headers["HX-Refresh"] = "true"  # the page now has results to show
    return response


@require_POST
def pause_run(request: UserRequest, run_id: int) -> HttpResponse:
    run = _run(request, run_id)
    if lifecycle.pause(run):
        messages.success(request, "The run is paused. Passages in progress will finish.")
    return redirect(run)


@require_POST
def resume_run(request: UserRequest, run_id: int) -> HttpResponse:
    """Let a paused run go on; one that has used its budget up, under the one that is given."""
    run = _run(request, run_id)
    budget = None
    if run.pause_reason:
        # A page from before it paused has no limits to send: that does not lift them.
        form = BudgetForm(request.POST if "budget_calls" in request.POST else _budget(run))
        if not form.is_valid():
            for errors in form.errors.values():
                messages.error(request, " ".join(map(str, errors)))
            return redirect(run)
        budget = form.cleaned_data["budget"]
        if refusal := budget.refusal(spent_by(run), calls=1):
            messages.error(request, f"{refusal} Write a higher limit, or 0 for none.")
            return redirect(run)
    if start.resume_run(run, budget=budget):
        messages.success(request, "The run is resumed.")
    return redirect(run)


@require_POST
def cancel_run(request: UserRequest, run_id: int) -> HttpResponse:
    run = _run(request, run_id)
    if lifecycle.cancel(run):
        messages.success(request, "The run is cancelled. Finished revisions are kept.")
    return redirect(run)


@require_POST
def retry_run(request: UserRequest, run_id: int) -> HttpResponse:
    run = _run(request, run_id)
    count = start.retry_failed(run)
    if count:
        noun = "passage waits" if count == 1 else "passages wait"
        messages.success(request, f"{count} failed {noun} for another try.")
    else:
        messages.info(request, "No passage of this run needs another try.")
    return redirect(run)


def _run(request: UserRequest, run_id: int) -> Run:
    visible = Run.objects.visible_to(request.user).select_related("dataset", "corpus", "created_by")
    return get_object_or_404(visible, pk=run_id)


def _budget(run: Run) -> dict[str, float]:
    """The limits that the run has, by their fields' names."""
    return {name: run.config.get(name, 0) for name in BUDGETS}


def _status(run: Run) -> dict[str, Any]:
    """What `_run_status.html` needs."""
    took = run.finished_at - run.started_at if run.finished_at and run.started_at else None
    progress, workers = lifecycle.progress(run), worker_state()
    # What was begun before a pause or a cancellation still ends, where a worker lives.
    still_ends = progress.working > 0 and workers["worker_alive"]
    return {
        "run": run,
        "progress": progress,
        "standing": costs.standing(run),
        "budget_form": BudgetForm(initial=_budget(run)),
        "goes_on": run.state == Run.State.RUNNING or still_ends,
        "put_back": None if run.is_over else lifecycle.put_back(run),
        "took": took,
        **workers,
    }


def _flat(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """A nested configuration as dotted names with their values."""
    for name, value in config.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
