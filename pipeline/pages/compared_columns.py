"""The columns of the table of compared runs."""

from typing import NamedTuple

from pipeline.figures.comparison import ANSWERS, Comparison
from pipeline.pages.run_table import FigureColumn

SPENT = (
    FigureColumn(key="length", name="Words", kind="number", latex="Words", group="An answer"),
    FigureColumn(
        key="calls", name="Calls", kind="number", second="cached", second_name="from cache",
        latex="Calls", group="An answer",
    ),
    FigureColumn(key="tokens", name="Tokens", kind="number"),
    FigureColumn(key="seconds", name="Time", kind="seconds", latex="Seconds", group="An answer"),
    FigureColumn(key="cost", name="Cost", kind="cost"),
)  # fmt: skip
"""Columns of the second table."""
OF_ANSWERS = (
    FigureColumn(key="correctness", name="Correct", latex="Correct"),
    FigureColumn(
        key="citation_recall", name="Citation recall", note="corrected", second="strict_recall",
        second_name="strict", latex="Recall", group="Citations",
    ),
    FigureColumn(
        key="citation_precision", name="Citation precision", note="corrected",
        second="strict_precision", second_name="strict", latex="Precision", group="Citations",
    ),
    FigureColumn(key="graded_recall", name="Recall, graded"),
    FigureColumn(key="attribution", name="Attr", sub="auto", latex="auto-AIS"),
    FigureColumn(
        key="recall_at_5", name="Found in 5", second="recall_at_100", second_name="in 100"
    ),
    FigureColumn(key="problems", name="Form problems"),
)  # fmt: skip
STRICT = (
    FigureColumn(key="strict_recall", name="", latex="Recall", group="Citations, strict"),
    FigureColumn(key="strict_precision", name="", latex="Precision", group="Citations, strict"),
)
"""In LaTeX only."""
OF_REVISIONS = (
    FigureColumn(
        key="attribution", name="Attr", sub="auto", note="before → after",
        before="attribution_before", latex="auto-AIS",
    ),
    FigureColumn(key="gain", name="Gain", kind="signed"),
    FigureColumn(key="restrictive", name="Restrictive", note="after"),
    FigureColumn(key="preservation", name="Pres", sub="Lev", latex="Lev"),
    FigureColumn(key="f1_ap", name="F1", sub="AP", latex=r"F1$_\mathrm{AP}$"),
)  # fmt: skip


class ColumnSet(NamedTuple):
    figures: tuple[FigureColumn, ...]
    spent: tuple[FigureColumn, ...]
    latex: tuple[FigureColumn, ...]


def columns_of(comparison: Comparison) -> ColumnSet:
    spent = tuple(
        column
        for column in SPENT
        if column.key in comparison.kind.figures and (column.key != "cost" or comparison.has_cost)
    )
    if comparison.kind is ANSWERS:
        return ColumnSet(OF_ANSWERS, spent, (*OF_ANSWERS[:3], *STRICT, *OF_ANSWERS[3:], *spent))
    return ColumnSet(OF_REVISIONS, spent, (*OF_REVISIONS, *spent))
