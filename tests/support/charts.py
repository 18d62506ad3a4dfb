"""Charts of every kind with a given number of random points."""

from collections.abc import Callable

import numpy as np

from pipeline.charts.chart import Chart, ChartValue
from pipeline.charts.distributions import Distributions, spread_of
from pipeline.charts.heatmap import Column as MatrixColumn
from pipeline.charts.heatmap import Heatmap
from pipeline.charts.intervals import Entry, Intervals, Row
from pipeline.charts.scatter import Scatter
from pipeline.charts.tradeoff import Point, Tradeoff
from pipeline.metrics.validity import Scored

SYSTEMS = ("rarr", "rarr-no-agreement", "rarr-query-input", "lamda-research", "efec", "none", "new")


def _span(value: float, half: float = 0.06) -> ChartValue:
    return ChartValue(value=value, low=max(value - half, 0), high=min(value + half, 1))


def tradeoff(n: int) -> Chart:
    chance = np.random.default_rng(3)
    points = []
    for i in range(n):
        x, y = float(chance.uniform(0.4, 0.8)), float(chance.uniform(0.5, 0.95))
        points.append(
            Point(
                series=SYSTEMS[i % len(SYSTEMS)],
                name=f"{SYSTEMS[i % len(SYSTEMS)]}, run {i}",
                across=_span(x),
                up=_span(y, 0.04),
                f1=ChartValue(value=2 * x * y / (x + y)),
                n=50,
                before=_span(0.35),
            )
        )
    return Tradeoff(
        title="Attribution & preservation",
        finding="What <rarr> gains, it keeps.",
        x="Attribution after the revision (Attr AIS)",
        y="Preservation (Pres comb)",
        before="best before revision",
        points=tuple(points),
        head=("System", "n", *(f"{name} {end}" for name in "bapf" for end in ("", "l", "h"))),
    )


def scored(n: int) -> list[Scored]:
    """Sentences in passages of three; raters mostly agree with the score."""
    chance = np.random.default_rng(5)
    scores = chance.beta(0.7, 0.6, size=n)
    message = chance.binomial(3, 0.15 + 0.7 * scores) / 3
    return [
        Scored(score=float(score), human_share=float(share), cluster=i // 3)
        for i, (score, share) in enumerate(zip(scores, message, strict=True))
    ]


def distributions(n: int) -> Chart:
    chance = np.random.default_rng(7)
    spreads = [
        spread_of(f"system {i}", list(chance.beta(0.4, 3, size=max(n // 12, 1))), low=0, high=1)
        for i in range(min(n, 12))
    ]
    return Distributions(
        title="Sizes",
        finding="Most change little.",
        x="Share of the text that changed",
        groups=tuple(each for each in spreads if each),
        low=0,
        high=1,
        head=("System", "n", "first quartile", "median", "third quartile", "mean"),
    )


def intervals(n: int) -> Chart:
    chance = np.random.default_rng(9)
    return Intervals(
        title="Rates",
        finding="Some gain.",
        x="Share of sentences",
        rows=tuple(
            Row(
                name=f"system {i}",
                entries=(
                    Entry(series="before", span=_span(float(chance.random())), n=40),
                    Entry(series="after", span=_span(float(chance.random())), n=1200),
                    Entry(series="never", span=None, n=0),
                ),
            )
            for i in range(n)
        ),
        low=0,
        high=1,
        head=("System", "Change", "n", "share", "low", "high", "note"),
        has_baseline=True,
    )


def cloud(n: int) -> Chart:
    chance = np.random.default_rng(15)
    across = chance.beta(6, 2, size=n)
    return Scatter(
        title="Copying",
        finding="Answers copy.",
        x="Coverage: share of words copied from cited quotes",
        y="Density: mean length of the copied run, in words",
        median="medians",
        points=tuple(
            (f"answer {i}", float(x), float(x * chance.gamma(2, 4))) for i, x in enumerate(across)
        ),
        head=("Answer", "coverage", "density"),
    )


def matrix(n: int) -> Chart:
    chance = np.random.default_rng(17)
    most = min(n, 40)
    return Heatmap(
        title="Positions",
        finding="The first most.",
        x="Quotes of the question",
        y="Position of the cited quote",
        columns=tuple(
            MatrixColumn(
                name=str(quotes),
                counts=tuple(int(each) for each in chance.integers(1, 400 // quotes, size=quotes)),
            )
            for quotes in range(1, most + 1)
        ),
        head=("Quotes", "position", "citations", "share"),
    )


CHARTS: dict[str, Callable[[int], Chart]] = {
    "tradeoff": tradeoff,
    "distributions": distributions,
    "intervals": intervals,
    "cloud": cloud,
    "matrix": matrix,
}
