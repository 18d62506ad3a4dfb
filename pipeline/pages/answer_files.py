"""The table of runs that answer as a file: CSV, LaTeX with booktabs, and HTML."""

from collections.abc import Iterator, Sequence
from html import escape

from pipeline.pages.table_files import (
    ENDS,
    HTML,
    LATEX,
    LEAD_ENDS,
    Markup,
    cells_of_estimate,
    cells_of_lead,
    csv_text,
    html_row,
    latex_row,
    latex_table,
    latex_text,
    note_of,
)
from pipeline.runs.answer_comparison import AMOUNTS, COMPARED, FIGURES, SHARES, Row

_SHOWN = {
    "correctness": "Correct", "citation_recall": "Recall", "citation_precision": "Precision",
    "strict_recall": "Recall", "strict_precision": "Precision", "attribution": "auto-AIS",
    "length": "Words", "calls": "Calls", "seconds": "Seconds",
}  # fmt: skip
_GROUPS = (
    ("", 1),
    ("Citations", 2),
    ("Citations, strict", 2),
    ("Attribution", 1),
    ("An answer", 3),
)
"""What stands above so many columns."""
_NOTE = (
    "Shares in percent, with 95 % intervals (Student's t over passages); bold: the best, and what "
    "cannot be told from it."
)


def files_of(rows: Sequence[Row]) -> dict[str, str]:
    """The table in each form."""
    return {"latex": latex(rows), "csv": csv(rows), "html": html(rows)}


def csv(rows: Sequence[Row]) -> str:
    """The table row by row, unrounded: shares from 0 to 1, amounts an answer."""
    heads = (
        "dataset", "system", "run", "finished", "failed", "is_reference",
        *(name + end for name in FIGURES for end in ENDS),
        *(name + end for name in COMPARED for end in LEAD_ENDS),
    )  # fmt: skip
    return csv_text(
        heads,
        (
            (
                row.run.dataset.name, row.run.system, row.run.pk, row.finished, row.failed,
                int(row.is_reference),
                *(cell for name in FIGURES for cell in cells_of_estimate(row.figures[name])),
                *(cell for name in COMPARED for cell in cells_of_lead(row.leads.get(name))),
            )
            for row in rows
        ),
    )  # fmt: skip


def latex(rows: Sequence[Row]) -> str:
    """The table for a paper; needs the package booktabs. The lines above say what it rests on."""
    groups = (rf"\multicolumn{{{wide}}}{{c}}{{{name}}}" for name, wide in _GROUPS)
    lines = [latex_row("", *groups), latex_row("Run", *_SHOWN.values()), r"\midrule"]
    lines += [latex_row(latex_text(_named(row)), *_cells(row, LATEX)) for row in rows]
    return latex_table("l" + "c" * len(_SHOWN), lines, notes=[_NOTE, *map(_rests_on, rows)])


def html(rows: Sequence[Row]) -> str:
    """The table for a page of one's own: no class, no style."""
    groups = "".join(f'<th colspan="{wide}" scope="colgroup">{name}</th>' for name, wide in _GROUPS)
    heads = "".join(f'<th scope="col">{name}</th>' for name in _SHOWN.values())
    lines = [
        "<table>",
        f"<caption>{escape(_NOTE)}</caption>",
        f'<thead><tr><th rowspan="2" scope="col">Run</th>{groups}</tr>',
        f"<tr>{heads}</tr></thead>",
        "<tbody>",
    ]
    lines += [html_row(_named(row), _cells(row, HTML)) for row in rows]
    return "\n".join([*lines, "</tbody>", "</table>", ""])


def _named(row: Row) -> str:
    return f"{row.run.system} (run {row.run.pk})"


def _cells(row: Row, markup: Markup) -> Iterator[str]:
    for name in _SHOWN:
        estimate = row.figures[name]
        if name in SHARES:
            yield markup.figure(estimate, is_best=name in row.best)
        else:
            yield markup.none if estimate is None else f"{estimate.value:.1f}"


def _rests_on(row: Row) -> str:
    """One line: n of each figure, and the differences from the reference with their p."""
    counts = ", ".join(
        f"{name} n = {found.n}"
        for name in (*COMPARED, *AMOUNTS)
        if (found := row.figures[name]) is not None
    )
    said = f"{_named(row)}: {counts or 'nothing is scored'}"
    return note_of(said, row.leads, is_reference=row.is_reference)
