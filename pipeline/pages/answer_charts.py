"""Charts of labelled answers with quotes: HAGRID's Figures 3 to 5."""

from collections import defaultdict
from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pipeline.charts.cloud import Cloud
from pipeline.charts.distributions import Distributions, spread_of
from pipeline.charts.matrix import Column, Matrix
from pipeline.metrics.answer_statistics import LabelledAnswer
from pipeline.metrics.inference import median_estimate, share_estimate
from pipeline.pages.charts import ChartPlan, with_interval


def quotes_chart(answers: Iterable[LabelledAnswer]) -> Distributions | None:
    """How many quotes answers had, by their labels (Figure 3a)."""
    found = _by_label((answer, (len(answer.quotes),)) for answer in answers)
    most = max((max(each) for each in found.values()), default=0)
    # A bin for each number of quotes, which stands in its middle.
    ends = (0.5, most + 0.5)
    spreads = [
        spread_of(name, values, low=ends[0], high=ends[1], bins=round(most))
        for name, values in found.items()
    ]
    groups = tuple(each for each in spreads if each)
    if not groups:
        return None
    return Distributions(
        title=_("Number of quotes by label"),
        finding=_("Mean number of quotes: %(means)s. Lines are medians, bars quartiles.")
        % {"means": ", ".join(f"{g.name} {g.mean:.1f} (n = {g.n:,})" for g in groups)},
        x=_("Quotes of the question"),
        groups=groups,
        low=ends[0],
        high=ends[1],
        head=_spread_head(),
    )


def _by_label(
    values: Iterable[tuple[LabelledAnswer, Iterable[float]]],
) -> dict[str, list[float]]:
    """The values of answers by each label that they have; labels without a value are left out."""
    names = {
        ("attributable", 1): _("attributable"),
        ("attributable", 0): _("not attributable"),
        ("informative", 1): _("informative"),
        ("informative", 0): _("not informative"),
    }
    found: dict[str, list[float]] = {name: [] for name in names.values()}
    for answer, some in values:
        some = list(some)
        for label, value in answer.labels.items():
            if value is not None:
                found[names[label, int(value)]] += some
    return {name: each for name, each in found.items() if each}


def _spread_head() -> tuple[str, ...]:
    return (_("Label"), "n", _("first quartile"), _("median"), _("third quartile"), _("mean"))


def similarity_chart(answers: Iterable[LabelledAnswer]) -> Distributions | None:
    """How alike sentences and what they cite are, by their answers' labels (Figure 3b)."""
    groups = _by_label((answer, answer.similarity) for answer in answers)
    every = [value for values in groups.values() for value in values]
    # A cosine may lie below 0, where hardly any does.
    low = min(0.0, *every) if every else 0.0
    spreads = [spread_of(name, values, low=low, high=1.0) for name, values in groups.items()]
    medians = {name: median_estimate(values) for name, values in groups.items()}
    found = tuple(each for each in spreads if each)
    if not found:
        return None
    return Distributions(
        title=_("BERTScore of sentences and what they cite"),
        finding=_("Median F1 with 95 %% intervals: %(medians)s. Bars are quartiles.")
        % {
            "medians": ", ".join(
                f"{name} {with_interval(each, of='sentences')} (n = {each.n:,})"
                for name, each in medians.items()
                if each
            )
        },
        x=_("F1 with the most similar sentence of the cited quotes"),
        groups=found,
        low=low,
        high=1.0,
        head=_spread_head(),
    )


def copying_chart(answers: Iterable[LabelledAnswer]) -> Cloud | None:
    """Coverage and density of answers over the quotes that they cite (Figure 4)."""
    points = tuple(
        (answer.id, *copied) for answer in answers if (copied := answer.copied) is not None
    )
    if not points:
        return None
    coverage = median_estimate([each for _name, each, _density in points])
    density = median_estimate([each for _name, _coverage, each in points])
    if coverage is None or density is None:
        return None
    return Cloud(
        title=_("Coverage and density"),
        finding=_(
            "Median coverage %(coverage)s, median density %(density)s, with 95 %% intervals, "
            "n = %(n)s answers with citations."
        )
        % {
            "coverage": with_interval(coverage, of="answers"),
            "density": with_interval(density, of="answers"),
            "n": f"{len(points):,}",
        },
        x=_("Coverage: share of words copied from cited quotes"),
        y=_("Density: mean length of the copied run, in words"),
        median=_("medians"),
        points=points,
        head=(_("Answer"), _("coverage"), _("density")),
    )


def positions_chart(answers: Iterable[LabelledAnswer]) -> Matrix | None:
    """Which quotes are cited, by how many there are (Figure 5)."""
    found: dict[int, list[int]] = defaultdict(list)
    for answer in answers:
        counts = found[len(answer.quotes)]
        counts += [0] * (len(answer.quotes) - len(counts))
        for place in answer.cited:
            counts[place] += 1
    columns = tuple(
        Column(name=str(quotes), counts=tuple(counts))
        for quotes, counts in sorted(found.items())
        if sum(counts)
    )
    if not columns:
        return None
    largest = max(columns, key=lambda column: sum(column.counts))
    first = share_estimate(largest.counts[0], sum(largest.counts))
    return Matrix(
        title=_("Position of the cited quote"),
        finding=_(
            "Of answers with %(quotes)s quotes the first gets a share of %(share)s of the "
            "citations, n = %(n)s. Cells are percent of their column, from 10 on."
        )
        % {
            "quotes": largest.name,
            "share": with_interval(first, of="citations") if first else "–",
            "n": f"{sum(largest.counts):,}",
        },
        x=_("Quotes of the question"),
        y=_("Position of the cited quote"),
        columns=columns,
        head=(_("Quotes"), _("position"), _("citations"), _("share")),
    )


CHARTS: tuple[ChartPlan[list[LabelledAnswer]], ...] = (
    ChartPlan(
        name="quotes",
        title=gettext_lazy("Do more quotes make worse answers?"),
        waits=gettext_lazy("The number of quotes by label, of answers that are labelled."),
        make=quotes_chart,
    ),
    ChartPlan(
        name="similarity",
        title=gettext_lazy("How close are answers to what they cite?"),
        waits=gettext_lazy("BERTScore by label, once a worker has computed it (below)."),
        make=similarity_chart,
    ),
    ChartPlan(
        name="copying",
        title=gettext_lazy("How much do answers copy?"),
        waits=gettext_lazy("Coverage and density, of answers that cite quotes by number."),
        make=copying_chart,
    ),
    ChartPlan(
        name="positions",
        title=gettext_lazy("Which quotes are cited?"),
        waits=gettext_lazy("The positions of cited quotes, of answers that cite by number."),
        make=positions_chart,
    ),
)
