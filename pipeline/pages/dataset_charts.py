"""Charts of a dataset of labelled answers with quotes: HAGRID's Figures 3 to 5."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pipeline.charts.cloud import Cloud
from pipeline.charts.distributions import Distributions, spread_of
from pipeline.charts.matrix import Column, Matrix
from pipeline.importing.hagrid import is_answer
from pipeline.metrics.citation_marks import MARKS, cited
from pipeline.metrics.extractiveness import extractiveness
from pipeline.metrics.inference import median_estimate, share_estimate
from pipeline.models import Dataset, Passage
from pipeline.pages.charts import ChartPlan, with_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An imported answer, with the quotes of its question in their order."""

    id: str
    text: str
    quotes: tuple[str, ...]
    cited: tuple[int, ...]
    """Places of the quotes that it cites, from 0, each once."""
    labels: Mapping[str, int | None]
    """`informative` and `attributable`: 1, 0 or None."""

    @property
    def copied(self) -> tuple[float, float] | None:
        """Its coverage and density over the quotes that it cites; None where it cites none."""
        if not self.cited:
            return None
        found = extractiveness(
            MARKS.sub(" ", self.text), [self.quotes[place] for place in self.cited]
        )
        return (found.coverage, found.density) if found else None


def has_quotes(dataset: Dataset) -> bool:
    """Whether its first passage is an answer with quotes. One query."""
    source = Passage.objects.filter(dataset=dataset).values_list("source", flat=True).first()
    return bool(source and is_answer(source) and source.get("quotes"))


def answers_of(dataset: Dataset) -> list[Answer]:
    """Its answers with quotes. One query."""
    rows = Passage.objects.filter(dataset=dataset).order_by("pk")
    return [
        _answer(*row)
        for row in rows.values_list("external_id", "text", "source").iterator()
        if is_answer(row[2]) and row[2].get("quotes")
    ]


def _answer(name: str, text: str, source: Mapping[str, Any]) -> Answer:
    quotes = source["quotes"]
    places = {quote.get("idx") or place: place - 1 for place, quote in enumerate(quotes, start=1)}
    return Answer(
        id=name,
        text=text,
        quotes=tuple(str(quote.get("text") or "") for quote in quotes),
        cited=tuple(places[number] for number in cited(text) if number in places),
        labels={key: source["answer"].get(key) for key in ("informative", "attributable")},
    )


def quotes_chart(answers: Iterable[Answer]) -> Distributions | None:
    """How many quotes answers had, by their labels (Figure 3a)."""
    names = {
        ("attributable", 1): _("attributable"),
        ("attributable", 0): _("not attributable"),
        ("informative", 1): _("informative"),
        ("informative", 0): _("not informative"),
    }
    found: dict[tuple[str, int], list[float]] = {key: [] for key in names}
    for answer in answers:
        for label, value in answer.labels.items():
            if value is not None:
                found[label, int(value)].append(len(answer.quotes))
    most = max((max(each) for each in found.values() if each), default=0)
    # A bin for each number of quotes, which stands in its middle.
    ends = (0.5, most + 0.5)
    spreads = {
        key: spread_of(names[key], values, low=ends[0], high=ends[1], bins=round(most))
        for key, values in found.items()
        if values
    }
    groups = tuple(each for each in spreads.values() if each)
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
        head=(
            _("Label"), "n", _("first quartile"), _("median"), _("third quartile"), _("mean"),
        ),
    )  # fmt: skip


def copying_chart(answers: Iterable[Answer]) -> Cloud | None:
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
            "coverage": with_interval(coverage),
            "density": with_interval(density),
            "n": f"{len(points):,}",
        },
        x=_("Coverage: share of words copied from cited quotes"),
        y=_("Density: mean length of the copied run, in words"),
        median=_("medians"),
        points=points,
        head=(_("Answer"), _("coverage"), _("density")),
    )


def positions_chart(answers: Iterable[Answer]) -> Matrix | None:
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
            "share": with_interval(first) if first else "–",
            "n": f"{sum(largest.counts):,}",
        },
        x=_("Quotes of the question"),
        y=_("Position of the cited quote"),
        columns=columns,
        head=(_("Quotes"), _("position"), _("citations"), _("share")),
    )


CHARTS: tuple[ChartPlan[list[Answer]], ...] = (
    ChartPlan(
        name="quotes",
        title=gettext_lazy("Do more quotes make worse answers?"),
        waits=gettext_lazy("The number of quotes by label, of answers that are labelled."),
        make=quotes_chart,
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
