"""The table of compared runs, and the head of a run's pages."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlencode

from pipeline.charts.schemes import KNOWN, SeriesMark, distinct_marks
from pipeline.engine.scorer_info import NLTK, strict_name
from pipeline.figures.comparison import ANSWERS, ComparedRow, Comparison
from pipeline.figures.progress import Progress, progress_of
from pipeline.generation.answer_format import VIOLATIONS
from pipeline.metrics.differences import NO_LEAD, Lead
from pipeline.metrics.inference import Estimate
from pipeline.models import Run
from pipeline.runs import lifecycle
from rarrweb.web.tabs import tabs_of

ROWS = "pipeline:run-revisions"

_OF_ANSWERS = [
    ("questionnaire", "answer_quality"),
    *(("excluded_problems", problem) for problem in VIOLATIONS),
]
"""HAGRID's labels and filter for a new campaign."""


def run_head(run: Run, *, tab: str) -> dict[str, Any]:
    """Return the context of `_run_head.html`."""
    together = lifecycle.started_together(run)
    progresses = progress_of(together or [run], rate_of=run)
    progress = progresses[run.pk]
    chosen = [("run", str(each.pk)) for each in together or [run]]
    return {
        "run": run,
        "progress": progress,
        "progress_of": progresses,
        "took": run.finished_at - run.started_at if run.finished_at and run.started_at else None,
        "together": together,
        "compare_query": urlencode(chosen),
        "campaign_query": urlencode(chosen + (_OF_ANSWERS if run.writes_answers else [])),
        "next_step": next_step(run, progress, is_alone=not together),
        "tabs": tabs_of(
            _tabs(run), run.pk, current=f"pipeline:{tab}", counts={ROWS: run.passage_count}
        ),
    }


def _tabs(run: Run) -> dict[str, str]:
    tabs = {"pipeline:run": "Overview", ROWS: "Answers" if run.shows_answers else "Passages"}
    if run.calls_spent:
        tabs["pipeline:run-cost"] = "Cost"
    return tabs


def next_step(run: Run, progress: Progress, *, is_alone: bool) -> str:
    """Return the primary action, or "" if the page asks for one or people can only wait."""
    if run.state == Run.State.PAUSED:
        return "" if run.pause_reason else "resume"
    if run.state == Run.State.RUNNING:
        return ""
    if progress.done:
        return "campaign" if is_alone else "compare"
    return "retry" if progress.failed and run.state != Run.State.CANCELLED else "again"


STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
MOST_TICKS = 4
MARGIN = 0.06
"""Share of the width on either side."""


@dataclass(frozen=True, slots=True)
class FigureColumn:
    key: str
    name: str
    _: KW_ONLY
    sub: str = ""
    note: str = ""
    before: str = ""
    """Key of the figure before revision."""
    second: str = ""
    """Key of a figure in small print."""
    second_name: str = ""
    kind: str = "share"
    """Kind of the filter `figure`."""
    latex: str = ""
    """Name in a LaTeX table; "" if it is not in it."""
    group: str = ""
    """Heading of several columns in LaTeX."""

    @property
    def label(self) -> str:
        """Name on a narrow page."""
        return ", ".join(filter(None, (f"{self.name} {self.sub}".strip(), self.note)))


class FigureCell(NamedTuple):
    column: FigureColumn
    estimate: Estimate | None
    before: Estimate | None
    second: Estimate | None
    is_best: bool
    deviation: float | None
    """Standard deviation between repeated runs."""


class Strip(NamedTuple):
    """Positions in percent of the width."""

    value: str
    low: str
    high: str


class Forest(NamedTuple):
    """A scale with every interval and 0."""

    lowest: float
    highest: float

    @classmethod
    def of(cls, estimates: Iterable[Estimate]) -> "Forest":
        """Return the scale of some differences.

        >>> Forest.of([Estimate(value=-0.2, n=9, low=-0.3, high=0.1)]).ticks
        [('−0.2', '27.68%'), ('0', '72.32%')]
        """
        ends = [end for each in estimates for end in (each.value, each.low, each.high)]
        known = [0.0, *(end for end in ends if end is not None)]
        lowest, highest = min(known), max(known)
        if highest == lowest:
            lowest, highest = -STEPS[0], STEPS[0]
        margin = MARGIN * (highest - lowest)
        return cls(lowest - margin, highest + margin)

    def at(self, value: float) -> str:
        return f"{100 * (value - self.lowest) / (self.highest - self.lowest):.4g}%"

    def strip(self, estimate: Estimate) -> Strip:
        low = estimate.value if estimate.low is None else estimate.low
        high = estimate.value if estimate.high is None else estimate.high
        return Strip(value=self.at(estimate.value), low=self.at(low), high=self.at(high))

    @property
    def ticks(self) -> list[tuple[str, str]]:
        """Return labels and positions from left to right, including 0."""
        span = self.highest - self.lowest
        step = next((each for each in STEPS if span / each <= MOST_TICKS), STEPS[-1])
        first, last = int(self.lowest / step), int(self.highest / step)
        return [
            (f"{step * n:+g}".replace("-", "−") if n else "0", self.at(step * n))
            for n in range(first, last + 1)
        ]


class RunLine(NamedTuple):
    row: ComparedRow
    cells: list[FigureCell]
    lead: Lead
    strip: Strip | None
    mark: SeriesMark
    """The system's mark in charts."""

    @property
    def colour(self) -> int:
        return 0 if self.mark.colour is None else self.mark.colour + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTable:
    """The context of templates/pipeline/_compared_runs.html."""

    columns: tuple[FigureColumn, ...]
    lead_name: str
    """Name of the figure in the column of differences; "" without this column."""
    blocks: list[tuple[str, list[RunLine]]]
    """By dataset name."""
    forest: Forest

    note: str
    """`significance_note`."""

    @property
    def width(self) -> int:
        return len(self.columns) + 3

    @property
    def n(self) -> int:
        """The largest n of a figure."""
        cells = (cell for _, lines in self.blocks for line in lines for cell in line.cells)
        return max((cell.estimate.n for cell in cells if cell.estimate), default=0)

    @property
    def zero(self) -> str:
        return self.forest.at(0)


def run_table(
    rows: Sequence[ComparedRow],
    columns: Sequence[FigureColumn],
    *,
    lead: str = "",
    lead_name: str = "",
) -> RunTable:
    """Make the table; `lead` is the figure with differences from the reference.

    Columns that no run has are omitted.
    """
    columns = known_columns(rows, columns)
    estimates = (row.leads[lead].estimate for row in rows if lead in row.leads)
    forest = Forest.of(filter(None, estimates))
    blocks: list[tuple[str, list[RunLine]]] = []
    for dataset, same in groupby(rows, key=lambda row: row.run.dataset):
        block = list(same)
        runs = sorted((row.run for row in block if not row.is_unrevised), key=lambda run: run.pk)
        marks = distinct_marks([(run.system, str(run.pk)) for run in runs])
        lines = [
            RunLine(
                row=row,
                cells=[cell_of(row, column) for column in columns],
                lead=difference,
                strip=forest.strip(difference.estimate) if difference.estimate else None,
                mark=KNOWN["none"] if row.is_unrevised else marks[str(row.run.pk)],
            )
            for row in block
            for difference in [row.leads.get(lead, NO_LEAD)]
        ]
        blocks.append((dataset.name, lines))
    return RunTable(
        columns=columns,
        lead_name=lead_name,
        blocks=blocks,
        forest=forest,
        note=significance_note(rows),
    )


def known_columns(
    rows: Sequence[ComparedRow], columns: Iterable[FigureColumn]
) -> tuple[FigureColumn, ...]:
    """Return the columns that some run has; unrevised passages are no run."""
    runs = [row for row in rows if not row.is_unrevised]
    return tuple(column for column in columns if any(row.figures[column.key] for row in runs))


def significance_note(rows: Sequence[ComparedRow]) -> str:
    """Return what bold figures mean, or that there are none."""
    if any(row.best for row in rows):
        return "Bold: best, or not significantly worse."
    runs = sum(not row.is_unrevised for row in rows)
    return "No significant differences between the systems." if runs > 1 else ""


def cell_of(row: ComparedRow, column: FigureColumn) -> FigureCell:
    return FigureCell(
        column=column,
        estimate=row.figures[column.key],
        before=None if row.is_unrevised else row.figures.get(column.before),
        second=row.figures.get(column.second),
        is_best=column.key in row.best,
        deviation=row.deviation(column.key),
    )


class MissingReason(NamedTuple):
    why: str
    figures: tuple[str, ...]
    runs: tuple[ComparedRow, ...]
    """Empty if the reason applies to all."""


def missing_reasons(
    rows: Sequence[ComparedRow], columns: Sequence[FigureColumn]
) -> list[MissingReason]:
    reasons: defaultdict[tuple[str, tuple[str, ...]], list[ComparedRow]] = defaultdict(list)
    for row in rows:
        missing: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
        for column in columns:
            if row.figures[column.key] is None:
                missing[row.why(column.key)] += (f"{column.name} {column.sub}".strip(),)
        for reason in missing.items():
            reasons[reason].append(row)
    return [
        MissingReason(why, figures, () if len(of) == len(rows) else tuple(of))
        for (why, figures), of in reasons.items()
    ]


# --- Columns of the page that compares runs ------------------------------------------------
_spent = partial(FigureColumn, kind="number", group="Per passage")
SPENT = (
    _spent("length", "Words", latex="Words"),
    _spent("calls", "Calls", second="cached", second_name="from cache", latex="Calls"),
    FigureColumn("tokens", "Tokens", kind="number"),
    FigureColumn("seconds", "Time", kind="seconds", latex="Time", group="Per passage"),
    FigureColumn("cost", "Cost", kind="cost"),
)
"""Columns of the second table."""
_cited = partial(FigureColumn, note="corrected", group="Citations")
OF_ANSWERS = (
    FigureColumn("correctness", "Correct", latex="Correct"),
    _cited("citation_recall", "Citation recall", second="strict_recall", latex="Rec."),
    _cited("citation_precision", "Citation precision", second="strict_precision", latex="Prec."),
    FigureColumn("graded_recall", "Recall, graded"),
    FigureColumn("attribution", "Attr", sub="auto", latex=r"Attr$_\mathrm{auto}$"),
    FigureColumn("recall_at_5", "Found in 5", second="recall_at_100", second_name="in 100"),
    FigureColumn("problems", "Form problems"),
)
OF_REVISIONS = (
    FigureColumn(
        "attribution",
        "Attr",
        sub="auto",
        note="before → after",
        before="attribution_before",
        latex=r"Attr$_\mathrm{auto}$",
    ),
    FigureColumn("gain", "Gain", kind="signed"),
    FigureColumn("preservation", "Pres", sub="Lev", latex=r"Pres$_\mathrm{Lev}$"),
    FigureColumn("f1_ap", "F1", sub="AP", latex=r"F1$_\mathrm{AP}$"),
)

RESTRICTIVE = FigureColumn("restrictive", "Restrictive attribution")


class ColumnSet(NamedTuple):
    figures: tuple[FigureColumn, ...]
    spent: tuple[FigureColumn, ...]
    latex: tuple[FigureColumn, ...]


def columns_of(comparison: Comparison) -> ColumnSet:
    spent = tuple(column for column in SPENT if column.key in comparison.kind.figures)
    if comparison.kind is ANSWERS:
        has_nltk = all(NLTK in row.run.versions for row in comparison.rows)
        name = strict_name(has_nltk=has_nltk)
        figures = tuple(
            replace(column, second_name=name) if column.group == "Citations" else column
            for column in OF_ANSWERS
        )
        strict = (
            FigureColumn(column.second, "", latex=column.latex, group=f"Citations, {name}")
            for column in figures
            if column.group == "Citations"
        )
        return ColumnSet(figures, spent, (*figures[:3], *strict, *figures[3:], *spent))
    return ColumnSet(OF_REVISIONS, (RESTRICTIVE, *spent), (*OF_REVISIONS, *spent))
