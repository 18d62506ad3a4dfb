"""The page that compares runs over one dataset."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from urllib.parse import urlencode

from django.db.models import Count, Q
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from pipeline.charts.chart import Chart
from pipeline.engine.scorer_info import INSTALL_NLTK, NLTK, run_scorer
from pipeline.figures import comparison
from pipeline.models import Dataset, Revision, Run
from pipeline.pages.answer_charts import answer_chart, recall_chart
from pipeline.pages.charts import PageChart
from pipeline.pages.run_table import ColumnSet, columns_of, missing_reasons, run_table
from pipeline.pages.table_files import files_of
from pipeline.runs.passage_facts import passage_facts
from pipeline.views.charts import chart_response, table_response
from pipeline.views.lists import researchers_only
from rarrweb.accounts.http import UserRequest
from rarrweb.web.listing import count_of
from rarrweb.web.paging import key_of

MAX_SIDE_BY_SIDE = 4
"""Runs compared passage by passage."""
RUNS_OFFERED = 100
CHARTS: dict[str, Callable[[Sequence[comparison.ComparedRow]], Chart | None]] = {
    "answers": answer_chart,
    "recall": recall_chart,
}


@require_safe
def compare(request: UserRequest, form: str = "") -> HttpResponseBase:
    """Compare `?run=3&run=5`, or the latest run of each system over `?dataset=SLUG`.

    `?against=RUN` is the reference, `?difference=` a figure. `?format=csv` or `latex` returns the
    table's file, `form` (svg, png, pdf, csv) the file of `?chart=`, answers or recall.
    """
    researchers_only(request)
    chosen, problem = chosen_runs(request, most=comparison.MOST_RUNS)
    datasets = _datasets(request)
    dataset = datasets[0][0] if len(datasets) == 1 else None
    if chosen:
        dataset = chosen[0].dataset
    elif slug := request.GET.get("dataset"):
        dataset = get_object_or_404(Dataset.objects.visible_to(request.user), slug=slug)
    offered = _offered(request, dataset) if dataset else []
    latest = [] if chosen or problem else _latest(offered, most=comparison.MOST_RUNS)
    chosen = chosen or latest
    context: dict[str, object] = {
        "datasets": datasets,
        "dataset": dataset,
        "offered": offered,
        "is_default": len(latest) > 1,
        "chosen": [run.pk for run in chosen],
        "problem": problem,
        "most": comparison.MOST_RUNS,
    }
    if len(chosen) > 1 and not problem:
        result = comparison.compare(chosen, against=key_of(request.GET.get("against", "")))
        has_answers = result.kind is comparison.ANSWERS
        if form and has_answers:
            chart_name = request.GET.get("chart", "answers")
            chart = CHARTS[chart_name](result.rows) if chart_name in CHARTS else None
            return chart_response(request, chart, chart_name, form)
        columns = columns_of(result)
        kind = result.kind
        files = files_of(
            result.rows,
            columns.latex,
            figures=kind.figures,
            compared=kind.compared,
            narrow=columns.figures,
        )
        if name := request.GET.get("format"):
            return table_response(files, "answers" if has_answers else "systems", name)
        side_by_side = chosen[:MAX_SIDE_BY_SIDE]
        context |= {
            **_table(request, result, columns),
            "comparison": result,
            "files": files,
            "has_answers": has_answers,
            "install_nltk": "" if all(NLTK in run.versions for run in chosen) else INSTALL_NLTK,
            "scorer": run_scorer(chosen[0].config, chosen[0].versions),
            "differing": sum(facts.differs for facts in passage_facts(side_by_side)),
            "query": urlencode([("run", run.pk) for run in chosen]),
            "side_by_side": side_by_side,
            "query_side_by_side": urlencode([("run", run.pk) for run in side_by_side]),
        }
    if form:
        raise Http404
    return render(request, "pipeline/compare.html", context)


def _table(
    request: UserRequest, result: comparison.Comparison, columns: ColumnSet
) -> dict[str, object]:
    difference = request.GET.get("difference", "")
    if difference not in result.kind.compared:
        difference = _default_difference(result)
    names = {column.key: column.label for column in columns.figures}
    runs = [("run", str(row.run.pk)) for row in result.rows]
    reference = next(row.run.pk for row in result.rows if row.is_reference)
    options = [("against", str(reference)), ("difference", difference)]
    return {
        "table": run_table(
            result.rows,
            columns.figures,
            lead=difference,
            lead_name=names[difference],
        ),
        "spent": run_table(result.rows, columns.spent),
        "difference": difference,
        "compared": [(key, names[key]) for key in result.kind.compared],
        "reasons": missing_reasons(result.rows, columns.figures),
        "charts": _charts(result, urlencode(runs)),
        "table_query": urlencode(runs + options),
    }


def _default_difference(result: comparison.Comparison) -> str:
    known = {name for row in result.rows for name, lead in row.leads.items() if lead.estimate}
    return min(
        result.kind.compared, key=lambda name: (name not in known, name != "citation_recall")
    )


def _charts(result: comparison.Comparison, query: str) -> list[PageChart]:
    if result.kind is not comparison.ANSWERS:
        return []
    address = reverse("pipeline:compare-chart", args=["svg"]).removesuffix(".svg")
    chart = PageChart(
        name="answers",
        title="Which run says most that is right, and supports it?"
        if any(row.figures["correctness"] for row in result.rows)
        else "Whose statements do their sources support, without irrelevant citations?",
        empty_text="A point for each run, once its answers are scored.",
        chart=answer_chart(result.rows),
        address=address,
        query=f"&{query}",
    )
    recall = recall_chart(result.rows)
    if recall is None:
        return [chart]
    of_recall = replace(
        chart, name="recall", title=recall.title, chart=recall, query=f"&chart=recall&{query}"
    )
    return [chart, of_recall]


def chosen_runs(request: UserRequest, *, most: int) -> tuple[list[Run], str]:
    """Return the runs of the address, and a sentence on what is wrong with them."""
    keys = list(dict.fromkeys(filter(None, map(key_of, request.GET.getlist("run")))))
    visible = Run.objects.comparable().visible_to(request.user).select_related("dataset", "corpus")
    known = {run.pk: run for run in visible.filter(pk__in=keys[: most + 1])}
    runs = [known[key] for key in keys if key in known]
    if len(keys) > most:
        return runs[:1], f"These are {len(keys)} runs: choose at most {most}."
    if len(runs) < len(keys):
        return runs, "Some of these runs do not exist: choose from the list below."
    first = runs[0].dataset if runs else None
    other = next((run for run in runs if run.dataset_id != runs[0].dataset_id), None)
    if first and other:
        return runs[:1], (
            f"Run {other.pk} is over {other.dataset.name}, not {first.name}: "
            "choose runs over one dataset."
        )
    return runs, ""


def _datasets(request: UserRequest) -> list[tuple[Dataset, int]]:
    runs = Run.objects.comparable().visible_to(request.user).current()
    visible = Dataset.objects.visible_to(request.user).current()
    rows = visible.annotate(run_count=Count("runs", filter=Q(runs__in=runs)))
    with_runs = rows.filter(run_count__gt=0)[:RUNS_OFFERED]
    return [(each, each.run_count) for each in with_runs]  # type: ignore[attr-defined]  # annotated


def latest_runs(request: UserRequest, dataset: Dataset, *, most: int) -> list[Run]:
    """Return the latest run of each system that has revised a passage."""
    return _latest(_offered(request, dataset), most=most)


def _latest(offered: list[Run], *, most: int) -> list[Run]:
    by_system: dict[str, Run] = {}
    # Imported texts can be compared with answers, but not with revisions.
    are_answers = any(run.writes_answers for run in offered)
    for run in offered:
        if run.done and (are_answers or not run.is_unrevised):  # type: ignore[attr-defined]  # by `_offered`
            by_system[run.system] = run
    return sorted(by_system.values(), key=lambda run: run.pk)[-most:]


def _offered(request: UserRequest, dataset: Dataset) -> list[Run]:
    # A join would read every revision.
    done = count_of(Revision.objects.filter(state=Revision.State.DONE), "run")
    visible = Run.objects.comparable().visible_to(request.user).current().filter(dataset=dataset)
    latest = visible.select_related("corpus").annotate(done=done).order_by("-pk")
    return list(latest[:RUNS_OFFERED])[::-1]
