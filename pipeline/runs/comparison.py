"""Several runs over one dataset side by side: figures over the same passages.

Only passages that every run has revised count, so no system gains by failing on hard ones.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pipeline.engine.scorer_info import Scorer, run_scorer
from pipeline.generation.strategies import STRATEGIES
from pipeline.metrics.attribution import f1_ap_differences, f1_ap_lead, f1_ap_of_means
from pipeline.metrics.differences import holm, leading, paired_p
from pipeline.metrics.inference import Estimate, mean_estimate
from pipeline.models import Revision, Run
from pipeline.rarr.systems import SYSTEMS
from pipeline.runs.progress import Progress, count_failed
from pipeline.runs.results import mean_of_known

MOST_RUNS = max(8, len(SYSTEMS), len(STRATEGIES))
_MEASURES = ("attribution_before", "attribution_after", "preservation")
BEFORE, AFTER, PRESERVATION = range(3)
OWN_SECONDS = ("calling_seconds", "working_seconds")
"""Fields of `Usage` that together are a passage's own time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One run's figures over the passages that all runs share, each with n and interval."""

    run: Run
    scorer: Scorer | None
    differs: tuple[tuple[str, str], ...]
    """The settings in which the chosen runs differ, with this run's values."""
    finished: int
    """How many passages this run has revised, shared or not."""
    failed: int
    before: Estimate | None
    after: Estimate | None
    gain: Estimate | None
    """After less before, of the same passages; -1.0 to 1.0."""
    preservation: Estimate | None
    f1_ap: Estimate | None
    """Of both means, as in the paper's Table 2."""
    f1_ap_lead: Estimate | None
    """F1_AP less the first run's, of the same passages; None for the first run."""
    f1_ap_p: float | None
    """Of that difference, by a paired test; adjusted for all runs on the page (Holm)."""
    restrictive: Estimate | None
    """After, counting no sentence that a source contradicts more than one entails it; of the
    passages of which it is known."""
    seconds: Estimate | None
    """A passage by the clock, with what it waited for others beside it."""
    own_seconds: Estimate | None
    """A passage's own: its requests and its work. None for runs that did not measure it."""
    cost: Estimate | None
    """Money a passage, in the unit of the prices; None where no price is known."""
    calls: Estimate | None
    """Model calls a passage; answers that were known already are none."""
    cached: Estimate | None
    """Answers a passage that were known already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    columns: tuple[Column, ...]
    best_after: frozenset[int]
    """The runs (by id) with the highest attribution, and those that cannot be told from it."""
    best_f1_ap: frozenset[int]
    n: int
    """The passages that count: revised by every run, with every figure."""
    left_out: int
    """Those that some run has revised and that do not count."""
    scorers_differ: bool
    """Whether different models scored the runs, so that attribution cannot be compared."""

    @property
    def rows(self) -> tuple[Column, ...]:
        """One run is a row of the page's table."""
        return self.columns

    @property
    def has_cost(self) -> bool:
        return any(column.cost for column in self.columns)


def compare(runs: Sequence[Run]) -> Comparison:
    """The figures of runs over one dataset, in the order given; at least one run."""
    known = _figures(runs)
    everybody = set.intersection(*(set(figures) for figures in known.values()))
    shared = [
        passage
        for passage in sorted(everybody)
        if all(None not in known[run.pk][passage][0] for run in runs)
    ]
    some = set().union(*(set(figures) for figures in known.values()))
    scorers = [run_scorer(run.config, run.versions) for run in runs]
    differs = _differing([run.config for run in runs])
    failed = count_failed(runs)
    rows = {run.pk: [known[run.pk][passage][0] for passage in shared] for run in runs}
    first = rows[runs[0].pk]
    columns = [
        _column(
            run,
            scorer=scorer,
            differs=tuple((name, _shown_value(values[place])) for name, values in differs.items()),
            figures=known[run.pk],
            shared=shared,
            first=first if place else None,
            failed=failed.get(run.pk, 0),
        )
        for place, (run, scorer) in enumerate(zip(runs, scorers, strict=True))
    ]
    adjusted = holm([column.f1_ap_p for column in columns])
    return Comparison(
        columns=tuple(
            replace(column, f1_ap_p=p) for column, p in zip(columns, adjusted, strict=True)
        ),
        best_after=_best(
            {key: [row[AFTER] for row in some] for key, some in rows.items()}, mean_of_known, _lead
        ),
        best_f1_ap=_best(
            {key: _pairs(some) for key, some in rows.items()}, f1_ap_of_means, f1_ap_lead
        ),
        n=len(shared),
        left_out=len(some) - len(shared),
        scorers_differ=len(set(scorers)) > 1,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far one of several runs is, and its attribution so far."""

    run: Run
    progress: Progress
    after: Estimate | None
    """Attr_auto of the revisions, or of a strategy's answers, over the passages that all of the
    runs have finished; None where none is scored, as of answers without sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    rows: tuple[Standing, ...]
    n: int
    """The passages that all runs have finished and all that score any have scored."""


def standings(
    runs: Sequence[Run],
    progress_of: Mapping[int, Progress],
    attribution: tuple[int, Mapping[int, Estimate | None]],
) -> Standings:
    """Runs over one dataset while they go on, with what `shared_attribution` gives of them."""
    n, after = attribution
    return Standings(
        rows=tuple(
            Standing(run=run, progress=progress_of[run.pk], after=after[run.pk]) for run in runs
        ),
        n=n,
    )


def shared_attribution(runs: Sequence[Run]) -> tuple[int, dict[int, Estimate | None]]:
    """The `n` of `Standings`, and by a run's id the `after` of its `Standing`. One query."""
    found: dict[int, dict[int, float | None]] = {run.pk: {} for run in runs}
    done = Revision.objects.filter(run__in=list(runs), state=Revision.State.DONE).order_by()
    # What a strategy wrote stands where a passage to revise stands.
    written = {run.pk for run in runs if run.writes_answers}
    for run_id, passage_id, before, after in done.values_list(
        "run_id", "passage_id", "attribution_before", "attribution_after"
    ):
        found[run_id][passage_id] = before if run_id in written else after
    scoring = [figures for figures in found.values() if set(figures.values()) - {None}]
    shared = [
        passage
        for passage in sorted(set.intersection(*map(set, found.values())))
        if all(figures[passage] is not None for figures in scoring)
    ]
    return len(shared), {
        run.pk: mean_of_known([found[run.pk][passage] for passage in shared]) for run in runs
    }


Figures = dict[int, tuple[tuple[Any, ...], float | None, Mapping[str, Any]]]
"""Of each passage by its id: the measures, restrictive attribution, and the usage."""


def _figures(runs: Sequence[Run]) -> dict[int, Figures]:
    found: dict[int, Figures] = {run.pk: {} for run in runs}
    done = Revision.objects.filter(run__in=list(runs), state=Revision.State.DONE).order_by()
    rows = done.values_list("run_id", "passage_id", *_MEASURES, "attribution_restrictive", "usage")
    for run_id, passage_id, *measures, restrictive, usage in rows.iterator():
        found[run_id][passage_id] = (tuple(measures), restrictive, usage)
    return found


def _column(
    run: Run,
    *,
    scorer: Scorer | None,
    differs: tuple[tuple[str, str], ...],
    figures: Figures,
    shared: Sequence[int],
    first: Sequence[tuple[Any, ...]] | None,
    failed: int,
) -> Column:
    rows = [figures[passage][0] for passage in shared]
    pairs = _pairs(rows)
    usages = [figures[passage][2] for passage in shared]
    return Column(
        run=run,
        scorer=scorer,
        differs=differs,
        finished=len(figures),
        failed=failed,
        before=mean_of_known([row[BEFORE] for row in rows]),
        after=mean_of_known([row[AFTER] for row in rows]),
        gain=mean_estimate([row[AFTER] - row[BEFORE] for row in rows], lowest=-1, highest=1),
        preservation=mean_of_known([row[PRESERVATION] for row in rows]),
        f1_ap=f1_ap_of_means(pairs),
        f1_ap_lead=f1_ap_lead(pairs, _pairs(first)) if first is not None else None,
        f1_ap_p=paired_p(f1_ap_differences(pairs, _pairs(first))) if first is not None else None,
        restrictive=mean_of_known([figures[passage][1] for passage in shared]),
        seconds=_spent(usages, "seconds"),
        own_seconds=_spent(usages, *OWN_SECONDS),
        cost=_spent(usages, "cost"),
        calls=_spent(usages, "model_calls"),
        cached=_spent(usages, "cached_calls"),
    )


Row = TypeVar("Row")


def _best(
    figures: Mapping[int, list[Row]],
    mean: Callable[[list[Row]], Estimate | None],
    lead: Callable[[list[Row], list[Row]], Estimate | None],
) -> frozenset[int]:
    """The runs of which no other one is told to be better, by the same passages."""
    means = {key: found.value for key, values in figures.items() if (found := mean(values))}
    return leading(means, lambda one, other: lead(figures[one], figures[other]))


def _lead(values: list[float], others: list[float]) -> Estimate | None:
    differences = [one - other for one, other in zip(values, others, strict=True)]
    return mean_estimate(differences, lowest=-1, highest=1)


def _pairs(rows: Sequence[tuple[Any, ...]]) -> list[tuple[float, float]]:
    return [(row[AFTER], row[PRESERVATION]) for row in rows]


def _spent(usages: Iterable[Mapping[str, Any]], *names: str) -> Estimate | None:
    """What a passage took of some things together, where all of them are known."""
    values = [[usage.get(name) for name in names] for usage in usages]
    known = [sum(each) for each in values if None not in each]  # type: ignore[arg-type]
    return mean_estimate(known, lowest=0)


def _differing(configs: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The settings, but for the system, whose values are not the same in all runs."""
    flat = [dict(_flat(config)) for config in configs]
    names = list(dict.fromkeys(name for each in flat for name in each if name != "system"))
    found = {name: [each.get(name) for each in flat] for name in names}
    return {
        name: values for name, values in found.items() if any(each != values[0] for each in values)
    }


def _flat(config: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in config.items():
        if isinstance(value, Mapping):
            yield from _flat(value)
        else:
            yield name, value


def _shown_value(value: Any) -> str:
    return "–" if value is None or value == "" else str(value)
