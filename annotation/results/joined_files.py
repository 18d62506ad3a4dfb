"""The joined table as a file: CSV, LaTeX with booktabs, and HTML."""

import csv
from collections.abc import Iterator, Sequence
from html import escape

from annotation.results.joined import COLUMNS, F1, Row
from annotation.results.joined_layout import Cell, blocks_of, cells_of, numbers_of
from pipeline.metrics.inference import Estimate
from pipeline.pages.table_markup import (
    HTML,
    LATEX,
    Markup,
    cells_of_estimate,
    latex_text,
    percent,
    plain,
)
from rarrweb.csv import Echo, neutral

_HEAD = ("auto-AIS", "AIS", "intent", "Lev", "comb", "auto", "human")


def csv_lines(rows: Sequence[Row]) -> Iterator[str]:
    """The table row by row: every figure from 0 to 1 with its n and interval, unrounded; of
    repeated runs also the standard deviation between them."""
    table = csv.writer(Echo())
    yield table.writerow(
        ["dataset", "part", "system", "run", "runs", "revised", "without_attribution",
         "without_intent", "is_reference"]
        + [column.key + end for column in COLUMNS for end in ("", "_n", "_low", "_high", "_sd")]
        + [f"{key}_lead{end}" for key in F1 for end in ("", "_n", "_low", "_high", "_p_holm")]
    )  # fmt: skip
    for row in rows:
        figures = [
            value
            for column in COLUMNS
            for value in (*cells_of_estimate(row.figures[column.key]), row.deviation(column.key))
        ]
        leads = [
            value
            for key in F1
            for lead in [row.leads.get(key)]
            for value in (*cells_of_estimate(lead and lead.estimate), lead and lead.p)
        ]
        yield table.writerow(
            neutral(cell)
            for cell in (
                row.run.dataset.name, row.part, _system(row), " ".join(str(r.pk) for r in row.runs),
                len(row.runs), row.revised, row.without_attribution, row.without_intent,
                int(row.is_reference), *figures, *leads,
            )
        )  # fmt: skip


def latex(rows: Sequence[Row]) -> str:
    """The table as the paper prints it, in percent; needs the package booktabs.

    Beside each figure stands its interval, and the best and what cannot be told from it are bold;
    the lines above say what the figures rest on.
    """
    lines = [
        f"% {line}"
        for line in (
            "In percent, with 95 % intervals (Student's t over passages); bold: the best, and what "
            "cannot be told from it.",
            *(_rests_on(row) for row in rows),
        )
    ]
    lines += [
        r"\begin{tabular}{lcc ccc cc}",
        r"\toprule",
        r" & \multicolumn{2}{c}{Attribution} & \multicolumn{3}{c}{Preservation}"
        r" & \multicolumn{2}{c}{F1$_\mathrm{AP}$} \\",
        r"\cmidrule(lr){2-3} \cmidrule(lr){4-6} \cmidrule(lr){7-8}",
        "Model & " + " & ".join(_HEAD) + r" \\",
    ]
    for block in blocks_of(rows):
        name = latex_text(block.title)
        lines += [r"\midrule", rf"\multicolumn{{8}}{{c}}{{\emph{{{name}}}}} \\"]
        lines += [
            " & ".join([latex_text(_named(row)), *(_marked(each, LATEX) for each in cells_of(row))])
            + r" \\"
            for row in block.rows
        ]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


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
        lines += [
            f'<tr><th scope="row">{escape(_named(row))}</th>'
            + "".join(f"<td>{_marked(cell, HTML)}</td>" for cell in cells_of(row))
            + "</tr>"
            for row in block.rows
        ]
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
    for key, lead in row.leads.items():
        if lead.estimate:
            p = "" if lead.p is None else f", p = {lead.p:.3g} (Holm)"
            said += f"; {key} minus reference {plain(lead.estimate)}{p}"
    return " ".join(f"{said}{'; the reference' if row.is_reference else ''}.".split())


def _named(row: Row) -> str:
    return f"{_system(row)} ({numbers_of(row)})"


def _system(row: Row) -> str:
    return "unrevised" if row.is_unrevised else row.run.system


def _n(estimate: Estimate | None) -> int:
    return estimate.n if estimate else 0


def _marked(cell: Cell, markup: Markup) -> str:
    deviation = "" if cell.deviation is None else f"SD {percent(cell.deviation)}"
    return markup.figure(cell.estimate, before=cell.before, is_best=cell.is_best, note=deviation)
