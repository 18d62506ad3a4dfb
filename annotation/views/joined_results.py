"""The table of runs with automatic and human figures."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.charts.tradeoff import tradeoff_chart
from annotation.results.cached_figures import Figures
from annotation.results.joined import F1, FIGURES, UNREVISED, table_rows
from annotation.views.joined_choice import MAX_CAMPAIGNS, MAX_RUNS, TableChoice, read_choice
from pipeline.engine.scorer_info import run_scorer
from pipeline.figures.comparison import ComparedRow
from pipeline.pages.charts import PageChart
from pipeline.pages.run_table import FigureColumn, RunTable, run_table
from pipeline.pages.table_files import files_of
from pipeline.views.charts import chart_response, table_response
from pipeline.views.lists import researchers_only
from rarrweb.accounts.http import UserRequest

_GROUPS = {"Attr": "Attribution", "Pres": "Preservation", "F1": r"F1$_\mathrm{AP}$"}
COLUMNS = tuple(
    FigureColumn(
        key=key, name=name, sub=sub, note=note, before=before, latex=latex, group=_GROUPS[name]
    )
    for key, name, sub, note, before, latex in (
        ("attr_auto_after", "Attr", "auto", "before → after", "attr_auto_before", "auto-AIS"),
        ("attr_ais_after", "Attr", "AIS", "before → after", "attr_ais_before", "AIS"),
        ("pres_intent", "Pres", "intent", "by raters", "", "intent"),
        ("pres_lev", "Pres", "Lev", "edit distance", "", "Lev"),
        ("pres_comb", "Pres", "comb", "product", "", "comb"),
        ("f1_auto", "F1", "AP", "by models", "", "auto"),
        ("f1_human", "F1", "AP", "by raters", "", "human"),
    )
)


@require_safe
@never_cache
def joined_results(request: UserRequest, form: str = "") -> HttpResponse:
    """Display the table; `format=csv` or `latex` returns its file, `form` a file of the chart.

    `against=RUN` or `unrevised` is the reference of differences.
    """
    researchers_only(request)
    choice = read_choice(request)
    against = _against(request, choice)
    name = request.GET.get("format", "")
    figures = Figures() if form or name else Figures.of_request(request)
    rows = table_rows(choice.campaigns, choice.runs, figures, against=against) or []
    if figures.is_missing and (form or name):
        return figures.missing_file()
    if form:
        return chart_response(request, tradeoff_chart(rows), "results-tradeoff", form)
    files = files_of(rows, COLUMNS, figures=FIGURES, compared=tuple(F1), has_repeats=True)
    if name:
        return table_response(files, "results", name)
    query = urlencode([*choice.pairs, *([("against", against)] if against else [])])
    context = {
        "choice": choice,
        "figures": figures,
        "rows": rows,
        "against": against,
        "query": query,
        "shown": _chart(rows, query),
        "kinds": {each.questionnaire for each in choice.campaigns},
        "scorers": {str(s) for run in choice.runs if (s := run_scorer(run.config, run.versions))},
        "datasets": choice.datasets_offered,
        "runs": choice.runs_offered,
        "most": {"campaigns": MAX_CAMPAIGNS, "runs": MAX_RUNS},
        "files": files,
        "table": _table(rows, against),
    }
    return render(request, "annotation/joined_results.html", context)


def _chart(rows: Sequence[ComparedRow], query: str) -> PageChart:
    address = reverse("annotation:joined-chart", args=["svg"]).removesuffix(".svg")
    return PageChart(
        name="tradeoff",
        title="Which system attributes most and keeps most?",
        empty_text="A point for each run, once one has figures of both.",
        chart=tradeoff_chart(rows),
        address=address,
        query=f"&{query}",
    )


def _against(request: UserRequest, choice: TableChoice) -> str:
    reference = request.GET.get("against", "")
    return reference if reference in {UNREVISED, *(str(run.pk) for run in choice.runs)} else ""


def _table(rows: Sequence[ComparedRow], against: str) -> RunTable:
    """Return the table with differences by raters, or by models if there are none."""
    leads = [row.leads["f1_human"] for row in rows if row.leads]
    lead = "f1_human" if any(each.estimate for each in leads) else "f1_auto"
    by = "by raters" if lead == "f1_human" else "by models"
    names = {row.run.system for row in rows if row.is_reference}
    reference = names.pop() if len(names) == 1 else "reference"
    minus = "before" if against == UNREVISED else reference
    return run_table(rows, COLUMNS, lead=lead, lead_name=f"F1 {by}, minus {minus}")
