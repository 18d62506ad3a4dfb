"""Tables of runs as files: percent in LaTeX, from 0 to 1 in CSV."""

from collections.abc import Sequence
from itertools import groupby

from pipeline.figures.comparison import ComparedRow
from pipeline.metrics.differences import NO_LEAD
from pipeline.metrics.inference import Estimate
from pipeline.pages.run_table import FigureColumn, cell_of
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


def percent(value: float) -> str:
    """Format a share.

    >>> percent(0.1234)
    '12.3'
    """
    return f"{100 * value:.1f}"


def interval(estimate: Estimate) -> str:
    """Format the ends in percent, or why there are none."""
    if estimate.low is None or estimate.high is None:
        return f"({estimate.note()})"
    return f"[{percent(estimate.low)}, {percent(estimate.high)}]"


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
    has_repeats: bool = False,
) -> dict[str, str]:
    """Return the table by form: `columns` in LaTeX; `figures`, from 0 to 1, in CSV.

    `compared` are the figures with differences; `has_repeats` adds standard deviations.
    """
    lines = [_csv_line(row, figures, compared, has_repeats=has_repeats) for row in rows]
    # To copy from a page, too, so without a byte order mark.
    csv = table_text(lines[0] if lines else (), (line.values() for line in lines))
    return {
        "latex": latex(rows, [column for column in columns if column.latex]),
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


def latex(rows: Sequence[ComparedRow], columns: Sequence[FigureColumn]) -> str:
    """Write shares in percent with intervals; needs the package booktabs."""
    groups: list[str] = []
    rules: list[str] = []
    first = 2
    for name, same in groupby(column.group for column in columns):
        width = len(list(same))
        groups.append(rf"\multicolumn{{{width}}}{{c}}{{{name}}}")
        rules += [rf"\cmidrule(lr){{{first}-{first + width - 1}}}"] if name else []
        first += width
    lines = [
        latex_row("", *groups),
        " ".join(rules),
        latex_row("System", *(column.latex for column in columns)),
    ]
    for dataset, block in groupby(rows, key=lambda row: row.run.dataset):
        title = rf"\emph{{{latex_text(dataset.name)}}}"
        lines += [r"\midrule", rf"\multicolumn{{{len(columns) + 1}}}{{c}}{{{title}}} \\"]
        lines += [
            latex_row(latex_text(_name(row)), *(_latex_cell(row, column) for column in columns))
            for row in block
        ]
    head = [
        "% Shares in percent, with 95 % intervals (Student's t over passages, Wilson's near 0 "
        "and 1); bold: the best, and those not significantly different from it.",
        *(f"% {_rests_on(row, columns)}" for row in rows),
        rf"\begin{{tabular}}{{l{'c' * len(columns)}}}",
        r"\toprule",
    ]
    return "\n".join([*head, *lines, r"\bottomrule", r"\end{tabular}", ""])


def latex_row(*cells: str) -> str:
    r"""Format a row of a LaTeX table.

    >>> latex_row("System", "F1")
    'System & F1 \\\\'
    """
    return " & ".join(cells) + r" \\"


def _latex_cell(row: ComparedRow, column: FigureColumn) -> str:
    cell = cell_of(row, column)
    if cell.estimate is None:
        return "--"
    if column.kind != "share":
        return f"{cell.estimate.value:.1f}"
    value = percent(cell.estimate.value)
    before = rf"{percent(cell.before.value)} $\to$ " if cell.before else ""
    deviation = "" if cell.deviation is None else f" SD {percent(cell.deviation)}"
    small = f"{interval(cell.estimate)}{deviation}".strip()
    return (
        before
        + (rf"\textbf{{{value}}}" if cell.is_best else value)
        + (rf" {{\scriptsize {small}}}" if small else "")
    )


def _name(row: ComparedRow) -> str:
    numbers = ", ".join(str(run.pk) for run in row.runs)
    runs = f"{len(row.runs)} runs:" if len(row.runs) > 1 else "run"
    return f"{row.system} ({runs} {numbers})"


def _rests_on(row: ComparedRow, columns: Sequence[FigureColumn]) -> str:
    """Return n of each figure, and differences from the reference with p."""
    counts = [
        f"{column.key} n = {figure.n}" for column in columns if (figure := row.figures[column.key])
    ]
    words = f"{_name(row)}: {', '.join(counts) or 'nothing is scored'}"
    for name, lead in row.leads.items():
        if lead.estimate:
            p = "" if lead.p is None else f", p = {lead.p:.3g} (Holm)"
            between = f"{percent(lead.estimate.value)} {interval(lead.estimate)}".strip()
            words += f"; {name} minus reference {between}{p}"
    return f"{words}{'; the reference' if row.is_reference else ''}."
