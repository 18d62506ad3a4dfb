"""The table of runs that answer: its part of the page that compares runs, and its files."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse

from pipeline.metrics.differences import NO_LEAD, Lead
from pipeline.metrics.inference import Estimate
from pipeline.models import Run
from pipeline.pages.answer_chart import answer_chart
from pipeline.pages.answer_files import files_of
from pipeline.pages.charts import ShownChart
from pipeline.pages.listing import turn
from pipeline.pages.paging import key_of
from pipeline.runs.answer_comparison import (
    COMPARED,
    AnswerComparison,
    Row,
    compare_answers,
    sorted_rows,
)
from pipeline.views.charts import chart_response, table_response
from rarrweb.http import UserRequest

LEAD = "difference"


class Column(NamedTuple):
    """A figure of the page's table, and the one that stands small below it."""

    key: str
    name: object
    note: object = ""
    second: str = ""
    second_name: object = ""


COLUMNS = (
    Column("correctness", "Correct"),
    Column(
        "citation_recall", "Citation recall", "corrected",
        "strict_recall", "strict",
    ),
    Column(
        "citation_precision", "Citation precision", "corrected",
        "strict_precision", "strict",
    ),
    Column("graded_recall", "Recall, graded"),
    Column("attribution", "Attr auto"),
    Column("recall_at_5", "Found in 5", "", "recall_at_100", "in 100"),
    Column("problems", "Form problems"),
)  # fmt: skip
SPENT = (
    Column("length", "Words"),
    Column("calls", "Calls"),
    Column("tokens", "Tokens"),
    Column("seconds", "Seconds"),
    Column("cost", "Cost"),
)
"""Those of the second table: what an answer is and takes."""
NAMES = {each.key: each.name for each in COLUMNS}


class Head(NamedTuple):
    """A column's head, which sorts."""

    column: Column
    query: str
    sort: str
    """`ascending`, `descending`, or empty where the rows are not sorted by it."""


class Cell(NamedTuple):
    column: Column
    estimate: Estimate | None
    second: Estimate | None
    is_best: bool
    why: str
    """Why there is no figure; empty where there is one."""


class Line(NamedTuple):
    """A row as the page shows it."""

    row: Row
    cells: list[Cell]
    spent: list[Cell]
    lead: Lead


class Reason(NamedTuple):
    """Why figures of the first table are missing."""

    why: str
    figures: tuple[object, ...]
    """Their names."""
    runs: list[Run]
    """Empty where it is so of all."""


def _reasons(lines: Sequence[Line]) -> list[Reason]:
    runs: dict[tuple[str, tuple[object, ...]], list[Run]] = {}
    for line in lines:
        missing: dict[str, tuple[object, ...]] = {}
        for cell in line.cells:
            if cell.why:
                missing[cell.why] = (*missing.get(cell.why, ()), cell.column.name)
        for reason in missing.items():
            runs.setdefault(reason, []).append(line.row.run)
    return [
        Reason(why, figures, [] if len(of) == len(lines) else of)
        for (why, figures), of in runs.items()
    ]


def answers_response(
    request: UserRequest, runs: Sequence[Run], form: str
) -> HttpResponse | dict[str, object]:
    """A file where `form` (of the chart) or `?format=csv|latex|html` asks for one; else what
    templates/pipeline/_compared_answers.html needs.

    `?against=RUN` is the reference, `?difference=` the figure whose differences are shown,
    `?sort=-citation_recall` the order.
    """
    found = compare_answers(runs, against=key_of(request.GET.get("against", "")))
    rows = sorted_rows(found.rows, request.GET.get("sort", ""))
    if form:
        return chart_response(request, answer_chart(rows), "answers", form)
    files = files_of(rows)
    if name := request.GET.get("format"):
        return table_response(files, "answers", name)
    return {**_context(request, found, rows), "files": files}


def _context(
    request: UserRequest, found: AnswerComparison, rows: Sequence[Row]
) -> dict[str, object]:
    runs = [("run", str(row.run.pk)) for row in found.rows]
    difference = _difference(request, rows)
    options = {
        "against": next((str(row.run.pk) for row in rows if row.is_reference), ""),
        "difference": difference,
        "sort": request.GET.get("sort", ""),
    }
    spent = [each for each in SPENT if each.key != "cost" or found.has_cost]
    first = Column("system", "Run")
    lines = [_line(row, spent, difference) for row in rows]
    return {
        "answers": found,
        "lines": lines,
        "reasons": _reasons(lines),
        "heads": [_head(each, runs, options) for each in (first, *COLUMNS)],
        "spent_heads": [_head(each, runs, options) for each in (first, *spent)],
        "options": options,
        "compared": [(key, NAMES[key]) for key in COMPARED],
        "lead_name": NAMES[difference],
        "answers_query": urlencode(runs + list(options.items())),
        "shown": _shown_chart(rows, urlencode(runs)),
    }


def _difference(request: UserRequest, rows: Sequence[Row]) -> str:
    """The figure that is asked for, else citation recall, else one in which rows differ."""
    asked = request.GET.get("difference", "")
    if asked in COMPARED:
        return asked
    order = ("citation_recall", *COMPARED)
    known = {name for row in rows for name, lead in row.leads.items() if lead.estimate}
    return next((name for name in order if name in known), order[0])


def _line(row: Row, spent: Sequence[Column], difference: str) -> Line:
    return Line(
        row,
        [_cell(row, each) for each in COLUMNS],
        [_cell(row, each) for each in spent],
        row.leads.get(difference, NO_LEAD),
    )


def _cell(row: Row, column: Column) -> Cell:
    estimate = row.figures[column.key]
    return Cell(
        column=column,
        estimate=estimate,
        second=row.figures[column.second] if column.second else None,
        is_best=column.key in row.best,
        why="" if estimate else row.why(column.key),
    )


def _head(column: Column, runs: list[tuple[str, str]], options: dict[str, str]) -> Head:
    # Figures begin with the highest, names with A.
    state, turned = turn(column.key, options["sort"], falls=column.key != "system")
    return Head(column, urlencode(runs + list((options | {"sort": turned}).items())), state)


def _shown_chart(rows: Sequence[Row], query: str) -> ShownChart:
    return ShownChart(
        name="answers",
        title="Which run says most that is right, and supports it?"
        if any(row.figures["correctness"] for row in rows)
        else "Whose statements do their sources support, without irrelevant citations?",
        waits="A point for each run, once its answers are scored.",
        chart=answer_chart(rows),
        address=reverse("pipeline:compare-chart", args=["svg"]).removesuffix(".svg"),
        query=f"&{query}",
    )
