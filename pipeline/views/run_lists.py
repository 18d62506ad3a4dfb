"""Lists of runs."""

from typing import Any
from urllib.parse import urlencode

from django.db.models import F, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from pipeline.data import deletion
from pipeline.engine.scorer_info import run_scorer
from pipeline.figures.progress import progress_of
from pipeline.figures.results import mean_attribution_of, mean_citations_of
from pipeline.generation.strategies import STRATEGIES
from pipeline.models import Run
from pipeline.rarr.systems import SYSTEMS
from pipeline.views.lists import archive_selected, researchers_only, visible_run, worker_state
from rarrweb.accounts.http import UserRequest
from rarrweb.web.deletion import deletion_page
from rarrweb.web.listing import ARCHIVED, Filter, ListColumn, Listing

RUNS = Listing(
    columns=(
        ListColumn("run", "Run", order=F("pk"), falls=True),
        ListColumn("dataset", "Dataset", order=F("dataset__name")),
        ListColumn("evidence", "Evidence"),
        ListColumn("state", "State", order=F("state")),
        ListColumn("passages", "Done", order=F("passage_count"), is_number=True),
        ListColumn("attribution", "Attribution", is_number=True),
        ListColumn("started", "Started"),
    ),
    filters=(
        Filter(
            "state",
            "State",
            {"": ("Any", Q())}
            | {state: (label.capitalize(), Q(state=state)) for state, label in Run.State.choices},
        ),
        Filter(
            "system",
            "System",
            {
                "": ("Any", Q()),
                **{name: (name, Q(system=name)) for name in (*SYSTEMS, *STRATEGIES)},
                "imported": ("Imported", ~Q(system__in=[*SYSTEMS, *STRATEGIES])),
            },
        ),
        ARCHIVED,
    ),
    search=("id", "system", "dataset__name", "corpus__name"),
    search_label="Search datasets, corpora and run numbers",
    sort="-run",
    size=25,
)


@require_http_methods(["GET", "HEAD", "POST"])
def run_list(request: UserRequest) -> HttpResponse:
    """Render the list; POST archives or compares rows."""
    researchers_only(request)
    visible = Run.objects.of_systems().visible_to(request.user)
    if request.method == "POST" and request.POST.get("action") == "compare":
        chosen = [("run", key) for key in request.POST.getlist("row")]
        return redirect(f"{reverse('pipeline:compare')}?{urlencode(chosen)}")
    if request.method == "POST":
        return archive_selected(
            request,
            visible.select_related("dataset"),
            locked=Q(state=Run.State.RUNNING),
            why="it is still running.",
        )
    context = listed_runs(request, visible)
    return render(request, "pipeline/runs.html", context | worker_state())


def listed_runs(request: UserRequest, visible: QuerySet[Run]) -> dict[str, Any]:
    """Return the context of templates/pipeline/_run_table.html."""
    page = RUNS.read(visible.select_related("dataset", "corpus"), request.GET)
    runs = page.page.rows
    progress = progress_of(runs)
    attribution = mean_attribution_of(run for run in runs if run.is_over and not run.writes_answers)
    citations = mean_citations_of(run for run in runs if run.is_over and run.writes_answers)
    scorers = {run.pk: run_scorer(run.config, run.versions) for run in runs}
    with_figures = (scorers[key] for key in (*attribution, *citations))
    return {
        "list": page,
        "has_any": bool(runs) or visible.exists(),
        "rows": [
            (run, progress[key], attribution.get(key), citations.get(key), scorers[key])
            for run in runs
            for key in [run.pk]
        ],
        "scorers": list(dict.fromkeys(filter(None, with_figures))),
    }


@require_http_methods(["GET", "HEAD", "POST"])
def delete_run(request: UserRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    return deletion_page(request, run, deletion.run_deletion_preview, deletion.delete_run)
