"""Tables of runs as LaTeX and CSV."""

from collections.abc import Collection, Sequence
from itertools import groupby

from pipeline.figures.comparison import ComparedRow
from pipeline.metrics.differences import NO_LEAD
from pipeline.metrics.inference import Estimate
from pipeline.pages.formats import figure
from pipeline.pages.run_table import (
    FigureCell,
    FigureColumn,
    cell_of,
    known_columns,
    significance_note,
)
from rarrweb.web.csv import table_text

ENDS = ("", "_n", "_low", "_high", "_note")
"""What the names of the columns of `cells_of_estimate` end with."""
LEAD_ENDS = tuple(f"_lead{end}" for end in (*ENDS, "_p_holm"))
"""The same of a difference, and its p."""

_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    # At the start of a row, [ and * would be arguments of the \\ before it.
    **{sign: f"{{{sign}}}" for sign in "[]*"},
}


def cells_of_estimate(estimate: Estimate | None) -> tuple[float | str | None, ...]:
    """Return value, n, low, high (0 to 1) and note, for CSV."""
    if estimate is None:
        return None, 0, None, None, ""
    return estimate.value, estimate.n, estimate.low, estimate.high, estimate.note()


def latex_text(text: str) -> str:
    """Escape a text for LaTeX.

    >>> latex_text("50 % of A_B & C")
    '50 \\\\% of A\\\\_B \\\\& C'
    """
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))


def files_of(
    rows: Sequence[ComparedRow],
    columns: Sequence[FigureColumn],
    *,
    figures: Sequence[str],
    compared: Sequence[str],
    narrow: Sequence[FigureColumn] = (),
    has_repeats: bool = False,
) -> dict[str, str]:
    """Return the table by form: `columns` in LaTeX, `figures` in CSV.

    `narrow` are the columns of the LaTeX table without intervals, by default all. `compared` are
    the figures with differences; `has_repeats` adds standard deviations.
    """
    lines = [_csv_line(row, figures, compared, has_repeats=has_repeats) for row in rows]
    csv = table_text(lines[0] if lines else (), (line.values() for line in lines))
    return {
        "latex": latex(rows, columns),
        "narrow": latex(rows, narrow or columns, has_intervals=False),
        "csv": csv.removeprefix("\ufeff"),
    }


def _csv_line(
    row: ComparedRow, figures: Sequence[str], compared: Sequence[str], *, has_repeats: bool
) -> dict[str, object]:
    line: dict[str, object] = {
        "dataset": row.run.dataset.name,
        "system": row.system,
        "run": " ".join(str(run.pk) for run in row.runs),
        **row.counts,
        "is_reference": int(row.is_reference),
    }
    for name in figures:
        line |= zip((name + end for end in ENDS), cells_of_estimate(row.figures[name]), strict=True)
        if has_repeats:
            line[f"{name}_sd"] = row.deviation(name)
    for name in compared:
        lead = row.leads.get(name, NO_LEAD)
        cells = (*cells_of_estimate(lead.estimate), lead.p)
        line |= zip((name + end for end in LEAD_ENDS), cells, strict=True)
    return line


def latex(
    rows: Sequence[ComparedRow], columns: Sequence[FigureColumn], *, has_intervals: bool = True
) -> str:
    """Write a table with the figures of the page, for two columns of text or for one."""
    columns = known_columns(rows, [column for column in columns if column.latex])
    environment, space = ("table*", 4) if has_intervals else ("table", 2)
    figures = [row.figures[column.key] for row in rows for column in columns]
    numbers = {each.n for each in figures if each}
    n = max(numbers, default=0)
    lines = [
        r"% Needs \usepackage{booktabs}.",
        *(f"% {_rests_on(row, columns, n)}" for row in rows),
        rf"\begin{{{environment}}}",
        r"\centering\footnotesize",
        rf"\setlength{{\tabcolsep}}{{{space}pt}}",
        rf"\caption{{{_caption(rows, numbers, has_intervals=has_intervals)}}}",
        rf"\begin{{tabular}}{{@{{}}l{'c' * len(columns)}@{{}}}}",
        r"\toprule",
        *_heads(columns),
    ]
    datasets = [(key, list(block)) for key, block in groupby(rows, key=lambda row: row.run.dataset)]
    for dataset, block in datasets:
        lines.append(r"\midrule")
        if len(datasets) > 1:
            title = rf"\emph{{{latex_text(dataset.name)}}}"
            lines.append(rf"\multicolumn{{{len(columns) + 1}}}{{c}}{{{title}}} \\")
        for row in block:
            cells = [cell_of(row, column) for column in columns]
            values = [_latex_value(cell, has_before=has_intervals) for cell in cells]
            lines.append(latex_row(latex_text(_name(row, block)), *values))
            intervals = [_latex_interval(cell) for cell in cells] if has_intervals else []
            lines += [latex_row("", *intervals)] if any(intervals) else []
    end = [r"\bottomrule", r"\end{tabular}", rf"\end{{{environment}}}", ""]
    return "\n".join([*lines, *end])


def _heads(columns: Sequence[FigureColumn]) -> list[str]:
    groups: list[str] = []
    rules: list[str] = []
    first = 2
    for name, same in groupby(column.group for column in columns):
        width = len(list(same))
        groups.append(rf"\multicolumn{{{width}}}{{c}}{{{name}}}")
        rules += [rf"\cmidrule(lr){{{first}-{first + width - 1}}}"] if name else []
        first += width
    names = latex_row("System", *(column.latex for column in columns))
    return [latex_row("", *groups), " ".join(rules), names] if rules else [names]


def _caption(rows: Sequence[ComparedRow], numbers: Collection[int], *, has_intervals: bool) -> str:
    most = "at most " if len(numbers) > 1 else ""
    units = "questions" if any(row.run.shows_answers for row in rows) else "passages"
    means = f"Means over {most}$n = {max(numbers, default=0)}$ {units}"
    datasets = dict.fromkeys(latex_text(row.run.dataset.name) for row in rows)
    intervals = r", with 95\,\% intervals below" if has_intervals else ""
    return f"{', '.join(datasets)}. {means}{intervals}. {significance_note(rows)}".strip()


def latex_row(*cells: str) -> str:
    r"""Format a row of a LaTeX table.

    >>> latex_row("System", "F1")
    'System & F1 \\\\'
    """
    return " & ".join(cells) + r" \\"


def _latex_value(cell: FigureCell, *, has_before: bool) -> str:
    if cell.estimate is None:
        return "--"
    value = _latex_figure(cell.estimate.value, cell)
    value = rf"\textbf{{{value}}}" if cell.is_best else value
    if cell.before and has_before:
        return rf"{_latex_figure(cell.before.value, cell)} $\to$ {value}"
    return value


def _latex_interval(cell: FigureCell) -> str:
    if cell.estimate is None or cell.estimate.low is None or cell.estimate.high is None:
        return ""
    ends = (_latex_figure(end, cell) for end in (cell.estimate.low, cell.estimate.high))
    deviation = "" if cell.deviation is None else f", SD {cell.deviation:.2f}"
    return rf"\scriptsize [{', '.join(ends)}]{deviation}"


def _latex_figure(value: float, cell: FigureCell) -> str:
    return figure(value, cell.column.kind).replace("−", "$-$")


def _name(row: ComparedRow, rows: Sequence[ComparedRow] = ()) -> str:
    """Return the system, with its run unless it is the only one of the system in `rows`."""
    numbers = ", ".join(str(run.pk) for run in row.runs)
    name = row.system.capitalize() if row.is_unrevised else row.system
    if len(row.runs) > 1:
        return f"{name} ({len(row.runs)} runs{'' if rows else f': {numbers}'})"
    is_alone = [each.system for each in rows].count(row.system) == 1
    return name if is_alone else f"{name} (run {numbers})"


def _rests_on(row: ComparedRow, columns: Sequence[FigureColumn], n: int) -> str:
    """Return unusual n, why intervals are missing, and differences from the reference with p."""
    parts = [
        f"{column.key} n = {estimate.n} {estimate.note()}".strip()
        for column in columns
        if (estimate := row.figures[column.key]) and (estimate.n != n or estimate.note())
    ]
    for name, lead in row.leads.items():
        if lead.estimate:
            p = "" if lead.p is None else f", p = {lead.p:.3g} (Holm)"
            parts.append(f"{name} minus reference {lead.estimate:+.2f}{p}")
    parts += ["reference"] if row.is_reference else []
    return f"{_name(row)}: {'; '.join(parts)}"
