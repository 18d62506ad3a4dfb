"""The joined table as a file: CSV, LaTeX with booktabs, and HTML."""

from collections.abc import Iterator, Sequence
from html import escape

from annotation.results.joined import COLUMNS, F1, Row
from annotation.results.joined_layout import blocks_of, cells_of, numbers_of
from pipeline.metrics.inference import Estimate
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
    percent,
)

_HEAD = ("auto-AIS", "AIS", "intent", "Lev", "comb", "auto", "human")


def files_of(rows: Sequence[Row]) -> dict[str, str]:
    """The table in each form."""
    return {"latex": latex(rows), "csv": csv(rows), "html": html(rows)}


def csv(rows: Sequence[Row]) -> str:
    """The table row by row: every figure from 0 to 1 with its n and interval, unrounded; of
    repeated runs also the standard deviation between them."""
    heads = (
        "dataset", "part", "system", "run", "runs", "revised", "without_attribution",
        "without_intent", "is_reference",
        *(column.key + end for column in COLUMNS for end in (*ENDS, "_sd")),
        *(key + end for key in F1 for end in LEAD_ENDS),
    )  # fmt: skip
    return csv_text(
        heads,
        (
            (
                row.run.dataset.name, row.part, _system(row), " ".join(str(r.pk) for r in row.runs),
                len(row.runs), row.revised, row.without_attribution, row.without_intent,
                int(row.is_reference),
                *(
                    cell
                    for key in (column.key for column in COLUMNS)
                    for cell in (*cells_of_estimate(row.figures[key]), row.deviation(key))
                ),
                *(cell for key in F1 for cell in cells_of_lead(row.leads.get(key))),
            )
            for row in rows
        ),
    )  # fmt: skip


def latex(rows: Sequence[Row]) -> str:
    """The table as the paper prints it, in percent; needs the package booktabs.

    Beside each figure stands its interval, and the best and what cannot be told from it are bold;
    the lines above say what the figures rest on.
    """
    note = (
        "In percent, with 95 % intervals (Student's t over passages); bold: the best, and what "
        "cannot be told from it."
    )
    lines = [
        r" & \multicolumn{2}{c}{Attribution} & \multicolumn{3}{c}{Preservation}"
        r" & \multicolumn{2}{c}{F1$_\mathrm{AP}$} \\",
        r"\cmidrule(lr){2-3} \cmidrule(lr){4-6} \cmidrule(lr){7-8}",
        latex_row("Model", *_HEAD),
    ]
    for block in blocks_of(rows):
        name = latex_text(block.title)
        lines += [r"\midrule", rf"\multicolumn{{8}}{{c}}{{\emph{{{name}}}}} \\"]
        lines += [latex_row(latex_text(_named(row)), *_marked(row, LATEX)) for row in block.rows]
    return latex_table("lcc ccc cc", lines, notes=[note, *map(_rests_on, rows)])


def html(rows: Sequence[Row]) -> str:
    """The table for a page of one's own: no class, no style, in percent as the paper's."""
    lines = [
        "<table>",
        "<caption>In percent, with 95 % intervals (Student’s t over passages)</caption>",
        '<thead><tr><th rowspan="2" scope="col">Model</th>'
        '<th colspan="2" scope="colgroup">Attribution</th>'
        '<th colspan="3" scope="colgroup">Preservation</th>'
        '<th colspan="2" scope="colgroup">F1<sub>AP</sub></th></tr>',
        "<tr>" + "".join(f'<th scope="col">{name}</th>' for name in _HEAD) + "</tr></thead>",
    ]
    for block in blocks_of(rows):
        title = escape(block.title)
        lines.append(f'<tbody><tr><th colspan="8" scope="rowgroup">{title}</th></tr>')
        lines += [html_row(_named(row), _marked(row, HTML)) for row in block.rows]
        lines.append("</tbody>")
    return "\n".join([*lines, "</table>", ""])


def _rests_on(row: Row) -> str:
    """One line: n of each kind of figure, and the difference from the reference with its p."""
    said = f"{row.part} " if row.part else ""
    said += (
        f"{_named(row)}: n = {_n(row.figures['attr_auto_after'])} auto, "
        f"{_n(row.figures['attr_ais_after'])} AIS, {_n(row.figures['pres_intent'])} intent, "
        f"{_n(row.figures['f1_human'])} both, of {row.revised} revisions"
    )
    return note_of(said, row.leads, is_reference=row.is_reference)


def _named(row: Row) -> str:
    return f"{_system(row)} ({numbers_of(row)})"


def _system(row: Row) -> str:
    return "unrevised" if row.is_unrevised else row.run.system


def _n(estimate: Estimate | None) -> int:
    return estimate.n if estimate else 0


def _marked(row: Row, markup: Markup) -> Iterator[str]:
    for cell in cells_of(row):
        note = "" if cell.deviation is None else f"SD {percent(cell.deviation)}"
        yield markup.figure(cell.estimate, before=cell.before, is_best=cell.is_best, note=note)
