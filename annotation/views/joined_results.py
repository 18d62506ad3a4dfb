"""The table of runs, judged by models and by raters, and its files."""

from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.charts.tradeoff import tradeoff_chart
from annotation.results.cached_figures import Figures
from annotation.results.cached_joined import table_rows
from annotation.results.joined import UNREVISED, Row, repeated_runs
from annotation.results.joined_files import files_of
from annotation.results.joined_layout import (
    LEAD,
    SORTS,
    SYSTEM,
    Block,
    Cell,
    blocks_of,
    cells_of,
    shown_lead,
    sorted_rows,
)
from annotation.results.joined_revisions import fields_of
from annotation.views.forest import Forest, Strip
from annotation.views.joined_choice import (
    MOST_CAMPAIGNS,
    MOST_RUNS,
    Choice,
    read_choice,
)
from annotation.views.missing_figures import missing_file
from pipeline.charts.schemes import KNOWN, Mark, told_apart
from pipeline.engine.scorer_info import run_scorer
from pipeline.metrics.differences import NO_LEAD, Lead
from pipeline.pages.charts import ShownChart
from pipeline.pages.listing import turn
from pipeline.views.charts import chart_response, table_response
from pipeline.views.lists import researchers_only
from rarrweb.http import UserRequest

MERGED = "merged"


@require_safe
@never_cache
def joined_results(request: UserRequest, form: str = "") -> HttpResponse:
    """What the table is of says `read_choice`. `against=RUN` or `unrevised` is what rows are
    compared with, `by=FIELD` parts them by a passage's metadata, `repeats=merged` makes repeated
    runs one row, `sort=-f1_human` orders them; `format=csv`, `latex` or `html` gives the file.

    With `form` (svg, png, pdf, csv) the answer is that file of the chart.
    """
    researchers_only(request)
    choice = read_choice(request)
    fields = fields_of(choice.runs) if choice.runs else []
    by, sort = request.GET.get("by", ""), request.GET.get("sort", "")
    if by and by not in fields:
        by = ""
        choice.problem = choice.problem or "No passage of these runs has several such values."
    has_repeats = len(repeated_runs(choice.runs)) < len(choice.runs)
    options = {
        "by": by,
        "against": _against(request, choice),
        "repeats": MERGED if has_repeats and request.GET.get("repeats") == MERGED else "",
        "sort": sort if sort.removeprefix("-") in SORTS else "",
    }
    name = request.GET.get("format", "")
    figures = Figures() if form or name else Figures.of_request(request)
    found = table_rows(
        choice.campaigns, choice.runs, figures, by=by, against=options["against"],
        merged=options["repeats"] == MERGED, unrevised=True,
    )  # fmt: skip
    if figures.is_missing and (form or name):
        return missing_file(figures)
    rows = sorted_rows(found or [], options["sort"])
    if form:
        return chart_response(request, tradeoff_chart(rows), "results-tradeoff", form)
    files = files_of(rows)
    if name:
        return table_response(files, "results", name)
    query = urlencode(choice.pairs + [pair for pair in options.items() if pair[1]])
    context = {
        "choice": choice,
        "figures": figures,
        "rows": rows,
        "options": options,
        "fields": fields,
        "has_repeats": has_repeats,
        "query": query,
        "shown": _chart(rows, query),
        "kinds": {each.questionnaire for each in choice.campaigns},
        "scorers": {str(s) for run in choice.runs if (s := run_scorer(run.config, run.versions))},
        "datasets": choice.datasets_offered,
        "runs": choice.runs_offered,
        "most": {"campaigns": MOST_CAMPAIGNS, "runs": MOST_RUNS},
        "files": files,
        **_table(choice, rows, options),
    }
    return render(request, "annotation/joined_results.html", context)


def _chart(rows: list[Row], query: str) -> ShownChart:
    address = reverse("annotation:joined-chart", args=["svg"]).removesuffix(".svg")
    return ShownChart(
        name="tradeoff",
        title="Which system attributes most and keeps most?",
        waits="A point for each run, once one has figures of both.",
        chart=tradeoff_chart(rows),
        address=address,
        query=f"&{query}",
    )


def _against(request: UserRequest, choice: Choice) -> str:
    asked = request.GET.get("against", "")
    return asked if asked in {UNREVISED, *(str(run.pk) for run in choice.runs)} else ""


class Head(NamedTuple):
    """A column's head, which sorts."""

    name: str
    sub: str
    note: str
    key: str
    """By which it sorts first."""
    query: str
    sort: str
    """`ascending`, `descending`, or empty where the rows are not sorted by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A row as the page shows it."""

    row: Row
    cells: list[tuple[Cell, str]]
    """Each with its label on a narrow page."""
    lead: Lead
    strip: Strip | None
    mark: Mark
    """The system's, as in figures."""

    @property
    def colour(self) -> int:
        """The number of its colour's class; 0 is a baseline's."""
        return 0 if self.mark.colour is None else self.mark.colour + 1


def _table(choice: Choice, rows: list[Row], options: dict[str, str]) -> dict[str, object]:
    key = shown_lead(rows)
    leads = [row.leads[key].estimate for row in rows if key in row.leads]
    forest = Forest.of(lead for lead in leads if lead)
    heads = _heads(choice, options, key, _reference(rows, options["against"]))
    labels = [f"{head.name} {head.sub}, {head.note}" for head in heads[1:-1]]
    return {
        "blocks": [(each, _lines(each, labels, key, forest)) for each in blocks_of(rows)],
        "heads": heads,
        "ticks": forest.ticks,
        "zero": forest.at(0),
    }


def _lines(block: Block, labels: list[str], lead: str, forest: Forest) -> list[Line]:
    # By the runs' age, so that sorting changes no mark.
    runs = sorted((row.run for row in block.rows if not row.is_unrevised), key=lambda run: run.pk)
    marks = told_apart([(run.system, str(run.pk)) for run in runs])
    lines = []
    for row in block.rows:
        own = row.leads.get(lead, NO_LEAD)
        lines.append(
            Line(
                row=row,
                cells=list(zip(cells_of(row), labels, strict=True)),
                lead=own,
                strip=forest.strip(own.estimate) if own.estimate else None,
                mark=KNOWN["none"] if row.is_unrevised else marks[str(row.run.pk)],
            )
        )
    return lines


def _reference(rows: list[Row], against: str) -> str:
    if against == UNREVISED:
        return "before"
    names = {row.run.system for row in rows if row.is_reference}
    return names.pop() if len(names) == 1 else "reference"


def _heads(choice: Choice, options: dict[str, str], lead: str, reference: str) -> list[Head]:
    change = "before → after"
    of_raters, of_models = "by raters", "by models"
    minus = f"minus {reference}"
    said = {
        SYSTEM: ("System", "", ""),
        "attr_auto_after": ("Attr", "auto", change),
        "attr_ais_after": ("Attr", "AIS", change),
        "pres_intent": ("Pres", "intent", of_raters),
        "pres_lev": ("Pres", "Lev", "edit distance"),
        "pres_comb": ("Pres", "comb", "product"),
        "f1_auto": ("F1", "AP", of_models),
        "f1_human": ("F1", "AP", of_raters),
        LEAD: ("F1", "AP", f"{of_models if lead == 'f1_auto' else of_raters}, {minus}"),
    }
    heads = []
    for key, words in said.items():
        # Figures begin with the highest, names with A.
        falls = key != SYSTEM
        state, turned = turn(key, options["sort"], falls=falls)
        wanted = options | {"sort": turned}
        query = urlencode(choice.pairs + [pair for pair in wanted.items() if pair[1]])
        heads.append(Head(*words, f"-{key}" if falls else key, query, state))
    return heads
