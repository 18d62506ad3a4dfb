"""HAGRID's Figures 3 to 5 of labelled answers."""

from collections import defaultdict
from collections.abc import Iterable

from pipeline.charts.distributions import Distributions, spread_of
from pipeline.charts.heatmap import Column, Heatmap
from pipeline.charts.scatter import Scatter
from pipeline.metrics.answer_statistics import LabelledAnswer
from pipeline.metrics.inference import median_estimate, share_estimate
from pipeline.pages.charts import ChartPlan, with_interval

SPREAD_HEAD = ("Label", "n", "first quartile", "median", "third quartile", "mean")


def quotes_chart(answers: Iterable[LabelledAnswer]) -> Distributions | None:
    """Plot numbers of quotes by label (Figure 3a)."""
    result = _by_label((answer, (len(answer.quotes),)) for answer in answers)
    most = max((max(each) for each in result.values()), default=0)
    ends = (0.5, most + 0.5)
    spreads = [
        spread_of(name, values, low=ends[0], high=ends[1], bins=round(most))
        for name, values in result.items()
    ]
    groups = tuple(each for each in spreads if each)
    if not groups:
        return None
    return Distributions(
        title="Number of quotes by label",
        finding="Mean number of quotes: {means}. Lines are medians, bars quartiles.".format(
            means=", ".join(f"{g.name} {g.mean:.1f} (n = {g.n:,})" for g in groups)
        ),
        x="Quotes of the question",
        groups=groups,
        low=ends[0],
        high=ends[1],
        head=SPREAD_HEAD,
    )


def _by_label(
    values: Iterable[tuple[LabelledAnswer, Iterable[float]]],
) -> dict[str, list[float]]:
    names = ("attributable", "not attributable", "informative", "not informative")
    result: dict[str, list[float]] = {name: [] for name in names}
    for answer, some in values:
        some = list(some)
        for label, value in answer.labels.items():
            if value is not None:
                result[label if value else f"not {label}"] += some
    return {name: each for name, each in result.items() if each}


def similarity_chart(
    scores: Iterable[tuple[LabelledAnswer, Iterable[float]]],
) -> Distributions | None:
    """Plot BERTScore F1 of sentences and cited quotes by label (Figure 3b)."""
    groups = _by_label(scores)
    every = [value for values in groups.values() for value in values]
    # Few cosines are below 0.
    low = min(0.0, *every) if every else 0.0
    spreads = [spread_of(name, values, low=low, high=1.0) for name, values in groups.items()]
    medians = {name: median_estimate(values) for name, values in groups.items()}
    result = tuple(each for each in spreads if each)
    if not result:
        return None
    return Distributions(
        title="BERTScore of sentences and what they cite",
        finding="Median F1 with 95 % intervals: {medians}. Bars are quartiles.".format(
            medians=", ".join(
                f"{name} {with_interval(each, of='sentences')} (n = {each.n:,})"
                for name, each in medians.items()
                if each
            ),
        ),
        x="F1 with the most similar sentence of the cited quotes",
        groups=result,
        low=low,
        high=1.0,
        head=SPREAD_HEAD,
    )


def copying_chart(answers: Iterable[LabelledAnswer]) -> Scatter | None:
    """Plot coverage and density over cited quotes (Figure 4)."""
    points = tuple(
        (answer.id, *copied) for answer in answers if (copied := answer.copied) is not None
    )
    if not points:
        return None
    coverage = median_estimate([each for _name, each, _density in points])
    density = median_estimate([each for _name, _coverage, each in points])
    if coverage is None or density is None:
        return None
    return Scatter(
        title="Coverage and density",
        finding=(
            "Median coverage {coverage}, median density {density}, with 95 % intervals, "
            "n = {n} answers with citations."
        ).format(
            coverage=with_interval(coverage, of="answers"),
            density=with_interval(density, of="answers"),
            n=f"{len(points):,}",
        ),
        x="Coverage: share of words copied from cited quotes",
        y="Density: mean length of the copied run, in words",
        median="medians",
        points=points,
        head=("Answer", "coverage", "density"),
    )


def positions_chart(answers: Iterable[LabelledAnswer]) -> Heatmap | None:
    """Plot positions of cited quotes by number of quotes (Figure 5)."""
    result: dict[int, list[int]] = defaultdict(list)
    for answer in answers:
        counts = result[len(answer.quotes)]
        counts += [0] * (len(answer.quotes) - len(counts))
        for position in answer.cited:
            counts[position] += 1
    columns = tuple(
        Column(name=str(quotes), counts=tuple(counts))
        for quotes, counts in sorted(result.items())
        if sum(counts)
    )
    if not columns:
        return None
    largest = max(columns, key=lambda column: sum(column.counts))
    first = share_estimate(largest.counts[0], sum(largest.counts))
    return Heatmap(
        title="Position of the cited quote",
        finding=(
            "Of answers with {quotes} quotes the first gets a share of {share} of the "
            "citations, n = {n}. Cells are percent of their column, from 10 on."
        ).format(
            quotes=largest.name,
            share=with_interval(first, of="citations") if first else "–",
            n=f"{sum(largest.counts):,}",
        ),
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
