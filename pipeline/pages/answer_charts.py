"""HAGRID's Figures 3 to 5 of labelled answers, and the chart of runs that answer."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

from pipeline.charts.chart import ChartValue
from pipeline.charts.distributions import Distributions, spread_of
from pipeline.charts.heatmap import Column, Heatmap
from pipeline.charts.intervals import Entry, Intervals, Row
from pipeline.charts.scatter import Scatter
from pipeline.charts.tradeoff import Point, Tradeoff
from pipeline.figures.comparison import RECALL_AT, ComparedRow
from pipeline.metrics.answer_statistics import LabelledAnswer
from pipeline.metrics.attribution import f1_ap
from pipeline.metrics.inference import median_estimate, share_estimate
from pipeline.pages.charts import ChartPlan, highest, span_of, with_interval
from pipeline.runs.lifecycle import short_names

SPREAD_HEAD = ("Label", "n", "first quartile", "median", "third quartile", "mean")


def quotes_chart(answers: Iterable[LabelledAnswer]) -> Distributions | None:
    """Plot numbers of quotes by label (Figure 3a)."""
    by_label = _by_label((answer, (len(answer.quotes),)) for answer in answers)
    most = max((max(each) for each in by_label.values()), default=0)
    low, high = 0.5, most + 0.5
    spreads = [
        spread_of(name, numbers, low=low, high=high, bins=round(most))
        for name, numbers in by_label.items()
    ]
    groups = tuple(filter(None, spreads))
    if not groups:
        return None
    means = ", ".join(f"{g.name} {g.mean:.1f} (n = {g.n:,})" for g in groups)
    return Distributions(
        title="Number of quotes by label",
        finding=f"Mean number of quotes: {means}. Lines are medians, bars quartiles.",
        x="Quotes of the question",
        groups=groups,
        low=low,
        high=high,
        head=SPREAD_HEAD,
    )


def _by_label(values: Iterable[tuple[LabelledAnswer, Iterable[float]]]) -> dict[str, list[float]]:
    names = ("attributable", "not attributable", "informative", "not informative")
    by_label: dict[str, list[float]] = {name: [] for name in names}
    for answer, figures in values:
        figures = list(figures)
        for label, is_true in answer.labels.items():
            if is_true is not None:
                by_label[label if is_true else f"not {label}"] += figures
    return {name: figures for name, figures in by_label.items() if figures}


def similarity_chart(
    scores: Iterable[tuple[LabelledAnswer, Iterable[float]]],
) -> Distributions | None:
    """Plot BERTScore F1 of sentences and cited quotes by label (Figure 3b)."""
    by_label = _by_label(scores)
    # Few cosines are below 0.
    low = min((0.0, *chain.from_iterable(by_label.values())))
    spreads = [spread_of(name, figures, low=low, high=1.0) for name, figures in by_label.items()]
    groups = tuple(filter(None, spreads))
    if not groups:
        return None
    medians = ", ".join(
        f"{name} {with_interval(median, of='sentences')} (n = {median.n:,})"
        for name, figures in by_label.items()
        if (median := median_estimate(figures))
    )
    return Distributions(
        title="BERTScore of sentences and what they cite",
        finding=f"Median F1 with 95 % intervals: {medians}. Bars are quartiles.",
        x="F1 with the most similar sentence of the cited quotes",
        groups=groups,
        low=low,
        high=1.0,
        head=SPREAD_HEAD,
    )


def copying_chart(answers: Iterable[LabelledAnswer]) -> Scatter | None:
    """Plot coverage and density over cited quotes (Figure 4)."""
    points = tuple(
        (answer.id, *copied) for answer in answers if (copied := answer.copied) is not None
    )
    coverage = median_estimate([each for _, each, _ in points])
    density = median_estimate([each for *_, each in points])
    if coverage is None or density is None:
        return None
    return Scatter(
        title="Coverage and density",
        finding=f"Median coverage {with_interval(coverage, of='answers')}, median density "
        f"{with_interval(density, of='answers')}, with 95 % intervals, n = {len(points):,} answers "
        "with citations.",
        x="Coverage: share of words copied from cited quotes",
        y="Density: mean length of the copied run, in words",
        median="medians",
        points=points,
        head=("Answer", "coverage", "density"),
    )


def positions_chart(answers: Iterable[LabelledAnswer]) -> Heatmap | None:
    """Plot positions of cited quotes by number of quotes (Figure 5)."""
    by_quotes: dict[int, list[int]] = defaultdict(list)
    for answer in answers:
        counts = by_quotes[len(answer.quotes)]
        counts += [0] * (len(answer.quotes) - len(counts))
        for position in answer.cited:
            counts[position] += 1
    columns = tuple(
        Column(name=str(quotes), counts=tuple(counts))
        for quotes, counts in sorted(by_quotes.items())
        if sum(counts)
    )
    if not columns:
        return None
    largest = max(columns, key=lambda column: sum(column.counts))
    first = share_estimate(largest.counts[0], sum(largest.counts))
    share = with_interval(first, of="citations") if first else "–"
    return Heatmap(
        title="Position of the cited quote",
        finding=f"Of answers with {largest.name} quotes the first gets a share of {share} of the "
        f"citations, n = {sum(largest.counts):,}. Cells are percent of their column, from 10 on.",
        x="Quotes of the question",
        y="Position of the cited quote",
        columns=columns,
        head=("Quotes", "position", "citations", "share"),
    )


CHARTS: tuple[ChartPlan[list[LabelledAnswer]], ...] = (
    ChartPlan(
        name="quotes",
        title="Do more quotes make worse answers?",
        empty_text="The number of quotes by label, of answers that are labelled.",
        make=quotes_chart,
    ),
    ChartPlan(
        name="copying",
        title="How much do answers copy?",
        empty_text="Coverage and density, of answers that cite quotes by number.",
        make=copying_chart,
    ),
    ChartPlan(
        name="positions",
        title="Which quotes are cited?",
        empty_text="The positions of cited quotes, of answers that cite by number.",
        make=positions_chart,
    ),
)


def answer_chart(rows: Sequence[ComparedRow]) -> Tradeoff | None:
    """Plot citation recall against correctness, or precision without references.

    Returns None if no run has both figures.
    """
    rows = sorted(rows, key=lambda row: row.run.pk)  # marks do not depend on the table's order
    return _chart(rows, "correctness") or _chart(rows, "citation_precision")


def recall_chart(rows: Sequence[ComparedRow]) -> Intervals | None:
    """Plot recall@k of the search, then the answers' correctness (ALCE, Figure 4).

    Returns None if no run has a recall.
    """
    rows = sorted(rows, key=lambda row: row.run.pk)
    names = short_names(row.run for row in rows)
    figures = {f"recall@{rank}": name for rank, name in RECALL_AT.items()}
    rows = [row for row in rows if any(row.figures[name] for name in figures.values())]
    if not rows:
        return None
    return Intervals(
        title="Recall of the search, and correctness",
        finding=(
            "Right answers in the k best passages, and in the answers. Bars are 95 % intervals."
        ),
        x="Share of the right answers",
        rows=tuple(
            Row(
                name=label,
                entries=tuple(
                    Entry(
                        series=names[row.run.pk],
                        span=span_of(figure) if (figure := row.figures[name]) else None,
                        n=figure.n if figure else 0,
                    )
                    for row in rows
                ),
            )
            for label, name in {**figures, "correctness": "correctness"}.items()
        ),
        low=0,
        high=1,
        head=("Figure", "Run", "n", "value", "low", "high", "note"),
    )


def _chart(rows: Sequence[ComparedRow], up: str) -> Tradeoff | None:
    has_f1 = up == "citation_precision"
    names = short_names(row.run for row in rows)
    points = []
    for row in rows:
        recall, other = row.figures["citation_recall"], row.figures[up]
        if recall is None or other is None:
            continue
        f1 = f1_ap(recall.value, other.value) if has_f1 else None
        points.append(
            Point(
                series=row.run.system,
                name=names[row.run.pk],
                across=span_of(recall),
                up=span_of(other),
                n=min(recall.n, other.n),
                f1=None if f1 is None else ChartValue(value=f1),
            )
        )
    if not points:
        return None
    word = "citation precision" if has_f1 else "correctness"
    return Tradeoff(
        title="Citation recall and precision" if has_f1 else "Correctness and citation recall",
        finding=(
            f"Highest citation recall: {highest({point.name: point.across for point in points})}. "
            f"Highest {word}: {highest({point.name: point.up for point in points})}. "
            "Bars are 95 % intervals."
        ),
        x="Citation recall: statements that their sources support",
        y="Citation precision: citations that are not irrelevant"
        if has_f1
        else "Correctness: what is right and is said",
        points=tuple(points),
        head=(
            "Run",
            "n",
            *(
                f"{name}{end}"
                for name in ("citation recall", word, *(["F1"] if has_f1 else []))
                for end in ("", " low", " high")
            ),
        ),
        has_f1=has_f1,
    )
