"""The joined table as a file: CSV, and LaTeX with booktabs."""

import csv
from collections.abc import Iterator, Sequence

from annotation.results.joined import COLUMNS, Row
from pipeline.metrics.inference import Estimate
from rarrweb.csv import Echo, neutral

_ENDS = ("", "_n", "_low", "_high")
_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def csv_lines(rows: Sequence[Row]) -> Iterator[str]:
    """The table row by row: every figure from 0 to 1 with its n and interval, unrounded."""
    table = csv.writer(Echo())
    figures = [column.key for column in COLUMNS] + ["f1_human_lead"]
    yield table.writerow(
        ["dataset", "part", "system", "run", "revised", "without_attribution", "without_intent"]
        + [key + end for key in figures for end in _ENDS]
        + ["f1_human_lead_p_holm"]
    )
    for row in rows:
        estimates = [row.figures[column.key] for column in COLUMNS] + [row.lead]
        yield table.writerow(
            neutral(cell)
            for cell in (
                row.run.dataset.name, row.part, row.run.system, row.run.pk, row.revised,
                row.without_attribution, row.without_intent,
                *(value for estimate in estimates for value in _values(estimate)),
                row.p,
            )
        )  # fmt: skip


def latex(rows: Sequence[Row]) -> str:
    """The table as the paper prints it, in percent; needs the package booktabs.

    Under each figure stands its interval; the first line says what the figures rest on.
    """
    parted = any(row.part for row in rows)
    lines = [
        "% In percent, with 95 % intervals (Student's t over passages). Passages judged: "
        + "; ".join(
            f"run {row.run.pk}{f' {row.part}' if row.part else ''}: "
            f"{_n(row.figures['attr_ais_after'])} attribution, "
            f"{_n(row.figures['pres_intent'])} intent, {_n(row.figures['f1_human'])} both, "
            f"of {row.revised}"
            for row in rows
        ).replace("\n", " "),
        r"\begin{tabular}{l" + ("l" if parted else "") + "cc ccc cc}",
        r"\toprule",
        " & "
        * (2 if parted else 1)
        + r"\multicolumn{2}{c}{Attribution} & \multicolumn{3}{c}{Preservation}"
        r" & \multicolumn{2}{c}{F1$_\mathrm{AP}$} \\",
        ("Model & Part" if parted else "Model")
        + r" & auto & AIS & intent & Lev & comb & auto & human \\",
    ]
    dataset = None
    for row in rows:
        if row.run.dataset_id != dataset:
            dataset = row.run.dataset_id
            columns = 9 if parted else 8
            name = _escaped(row.run.dataset.name)
            lines += [r"\midrule", rf"\multicolumn{{{columns}}}{{l}}{{\emph{{{name}}}}} \\"]
        figures = row.figures
        cells = [
            _escaped(f"{row.run.system} (run {row.run.pk})"),
            *([_escaped(row.part)] if parted else []),
            _change(figures["attr_auto_before"], figures["attr_auto_after"]),
            _change(figures["attr_ais_before"], figures["attr_ais_after"]),
            *(
                _figure(figures[key])
                for key in ("pres_intent", "pres_lev", "pres_comb", "f1_auto", "f1_human")
            ),
        ]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _values(estimate: Estimate | None) -> tuple[float | None, ...]:
    if estimate is None:
        return None, 0, None, None
    return estimate.value, estimate.n, estimate.low, estimate.high


def _n(estimate: Estimate | None) -> int:
    return estimate.n if estimate else 0


def _change(before: Estimate | None, after: Estimate | None) -> str:
    if before is None:
        return _figure(after)
    return rf"{100 * before.value:.1f} $\to$ {_figure(after)}"


def _figure(estimate: Estimate | None) -> str:
    if estimate is None:
        return "--"
    said = f"{100 * estimate.value:.1f}"
    if estimate.low is None or estimate.high is None:
        return said
    return rf"{said} {{\scriptsize [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]}}"


def _escaped(text: str) -> str:
    """The text as LaTeX prints it, on one line.

    >>> _escaped("50 % of A_B & C")
    '50 \\\\% of A\\\\_B \\\\& C'
    """
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))
