"""The table of runs that answer as a file: CSV, LaTeX with booktabs, and HTML."""

import csv
from collections.abc import Iterator, Sequence
from html import escape

from pipeline.metrics.inference import Estimate
from pipeline.pages.table_markup import (
    HTML,
    LATEX,
    Markup,
    cells_of_estimate,
    latex_text,
    plain,
)
from pipeline.runs.answer_comparison import AMOUNTS, COMPARED, FIGURES, SHARES, Row
from rarrweb.csv import Echo, neutral

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


def csv_lines(rows: Sequence[Row]) -> Iterator[str]:
    """The table row by row, unrounded: shares from 0 to 1, amounts an answer."""
    table = csv.writer(Echo())
    yield table.writerow(
        ["dataset", "system", "run", "finished", "failed", "is_reference"]
        + [name + end for name in FIGURES for end in ("", "_n", "_low", "_high")]
        + [
            f"{name}_lead{end}"
            for name in COMPARED
            for end in ("", "_n", "_low", "_high", "_p_holm")
        ]
    )
    for row in rows:
        leads = [row.leads.get(name) for name in COMPARED]
        cells = (
            row.run.dataset.name, row.run.system, row.run.pk, row.finished, row.failed,
            int(row.is_reference),
            *(value for name in FIGURES for value in cells_of_estimate(row.figures[name])),
            *(
                value
                for lead in leads
                for value in (*cells_of_estimate(lead and lead.estimate), lead and lead.p)
            ),
        )  # fmt: skip
        yield table.writerow(neutral(cell) for cell in cells)


def latex(rows: Sequence[Row]) -> str:
    """The table for a paper; needs the package booktabs. The lines above say what it rests on."""
    lines = [f"% {line}" for line in (_NOTE, *(_rests_on(row) for row in rows))]
    lines += [r"\begin{tabular}{l" + "c" * len(_SHOWN) + "}", r"\toprule"]
    lines += [
        " & ".join(["", *(rf"\multicolumn{{{wide}}}{{c}}{{{name}}}" for name, wide in _GROUPS)])
        + r" \\",
        " & ".join(["Run", *_SHOWN.values()]) + r" \\",
        r"\midrule",
    ]
    lines += [" & ".join([latex_text(_named(row)), *_cells(row, LATEX)]) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


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
    lines += [
        f'<tr><th scope="row">{escape(_named(row))}</th>'
        + "".join(f"<td>{cell}</td>" for cell in _cells(row, HTML))
        + "</tr>"
        for row in rows
    ]
    return "\n".join([*lines, "</tbody>", "</table>", ""])


def _named(row: Row) -> str:
    return f"{row.run.system} (run {row.run.pk})"


def _cells(row: Row, markup: Markup) -> Iterator[str]:
    for name in _SHOWN:
        estimate = row.figures[name]
        if name in SHARES:
            yield markup.figure(estimate, is_best=name in row.best)
        else:
            yield markup.none if estimate is None else _amount(estimate)


def _amount(estimate: Estimate) -> str:
    return f"{estimate.value:.1f}"


def _rests_on(row: Row) -> str:
    """One line: n of each figure, and the differences from the reference with their p."""
    counts = ", ".join(
        f"{name} n = {found.n}"
        for name in (*COMPARED, *AMOUNTS)
        if (found := row.figures[name]) is not None
    )
    said = f"{_named(row)}: {counts or 'nothing is scored'}"
    for name, lead in row.leads.items():
        if lead.estimate:
            p = "" if lead.p is None else f", p = {lead.p:.3g} (Holm)"
            said += f"; {name} minus reference {plain(lead.estimate)}{p}"
    return " ".join(f"{said}{'; the reference' if row.is_reference else ''}.".split())
