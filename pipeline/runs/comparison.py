"""Several runs over one dataset side by side: figures over the same passages.

Only passages that every run has revised count, so no system gains by failing on hard ones.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from django.core.cache import cache
from django.db.models import Count, Max, Sum

from pipeline.engine.scorer_info import Scorer, run_scorer
from pipeline.generation.strategies import STRATEGIES
from pipeline.metrics.attribution import f1_ap_shares
from pipeline.metrics.differences import holm, leading, paired_p
from pipeline.metrics.inference import Estimate, mean_estimate
from pipeline.models import Revision, Run
from pipeline.rarr.systems import SYSTEMS
from pipeline.runs.progress import Progress
from pipeline.runs.results import mean_of_known

MOST_RUNS = max(8, len(SYSTEMS), len(STRATEGIES))
_MEASURES = (
    "attribution_before", "attribution_after", "preservation", "attribution_restrictive"
)  # fmt: skip
BEFORE, AFTER, PRESERVATION, RESTRICTIVE = range(len(_MEASURES))
SPENT = 4
"""How many figures `_spent` gives."""
CACHED_SECONDS = 600


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
    """The figures of runs over one dataset, in the order given; at least one run.

    They are cached until a figure, a state or a setting of the runs changes: reading every passage
    of several large runs takes seconds.
    """
    revisions = Revision.objects.filter(run__in=list(runs)).order_by()
    # Both from indexes alone.
    sums = [Count(name) for name in _MEASURES] + [Sum(name) for name in _MEASURES]
    states = sorted(revisions.values_list("run_id", "state").annotate(Count("pk"), *sums))
    ends = sorted(revisions.values_list("run_id").annotate(Max("finished_at")))
    settings = [(run.pk, run.config, run.versions) for run in runs]
    version = hashlib.sha256(repr([settings, states, ends]).encode()).hexdigest()
    failed = {row[0]: row[2] for row in states if row[1] == Revision.State.FAILED}
    key = f"pipeline.comparison.{version}"
    return cast(
        "Comparison", cache.get_or_set(key, partial(_compare, runs, failed), CACHED_SECONDS)
    )


def _compare(runs: Sequence[Run], failed: Mapping[int, int]) -> Comparison:
    known = _figures(runs)
    complete = [
        {passage for passage, row in figures.items() if None not in row[:RESTRICTIVE]}
        for figures in known.values()
    ]
    shared = sorted(set.intersection(*complete))
    some = set().union(*(set(figures) for figures in known.values()))
    scorers = [run_scorer(run.config, run.versions) for run in runs]
    differs = _differing([run.config for run in runs])
    rows = {run.pk: [known[run.pk][passage] for passage in shared] for run in runs}
    shares = {
        key: f1_ap_shares([(row[AFTER], row[PRESERVATION]) for row in some])
        for key, some in rows.items()
    }
    columns = [
        _column(
            run,
            scorer=scorer,
            differs=tuple((name, _shown_value(values[place])) for name, values in differs.items()),
            finished=len(known[run.pk]),
            rows=rows[run.pk],
            shares=shares[run.pk],
            others=shares[runs[0].pk] if place else None,
            failed=failed.get(run.pk, 0),
        )
        for place, (run, scorer) in enumerate(zip(runs, scorers, strict=True))
    ]
    adjusted = holm([column.f1_ap_p for column in columns])
    return Comparison(
        columns=tuple(
            replace(column, f1_ap_p=p) for column, p in zip(columns, adjusted, strict=True)
        ),
        best_after=_best({key: [row[AFTER] for row in some] for key, some in rows.items()}),
        best_f1_ap=_best(shares),
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


Row = tuple[Any, ...]
"""The measures of a passage, and what it took: see `_spent`."""


def _figures(runs: Sequence[Run]) -> dict[int, dict[int, Row]]:
    """Of each run by its id: of each revised passage by its id. One query."""
    found: dict[int, dict[int, Row]] = {run.pk: {} for run in runs}
    done = Revision.objects.filter(run__in=list(runs), state=Revision.State.DONE).order_by()
    rows = done.values_list("run_id", "passage_id", "usage", *_MEASURES)
    for run_id, passage_id, usage, *measures in rows.iterator():
        # Numbers only: a hundred thousand dictionaries would keep the garbage collector at work.
        found[run_id][passage_id] = (*measures, *_spent(usage))
    return found


def _spent(usage: Mapping[str, Any]) -> Row:
    """Seconds, cost, calls and cached answers, as far as they are known."""
    return (
        usage.get("seconds"),
        usage.get("cost"),
        usage.get("model_calls"),
        usage.get("cached_calls"),
    )


def _column(
    run: Run,
    *,
    scorer: Scorer | None,
    differs: tuple[tuple[str, str], ...],
    finished: int,
    rows: Sequence[Row],
    shares: list[float],
    others: list[float] | None,
    failed: int,
) -> Column:
    by_figure: list[Row] = list(zip(*rows, strict=True)) or [()] * (len(_MEASURES) + SPENT)
    before, after, preservation, restrictive, *spent = by_figure
    seconds, cost, calls, cached = map(_mean_spent, spent)
    gains = [b - a for a, b in zip(before, after, strict=True)]
    leads = _less(shares, others) if others is not None else None
    return Column(
        run=run,
        scorer=scorer,
        differs=differs,
        finished=finished,
        failed=failed,
        before=mean_of_known(before),
        after=mean_of_known(after),
        gain=mean_estimate(gains, lowest=-1, highest=1),
        preservation=mean_of_known(preservation),
        f1_ap=mean_of_known(shares),
        f1_ap_lead=None if leads is None else mean_estimate(leads, lowest=-1, highest=1),
        f1_ap_p=None if leads is None else paired_p(leads),
        restrictive=mean_of_known(restrictive),
        seconds=seconds,
        cost=cost,
        calls=calls,
        cached=cached,
    )


def _mean_spent(values: Row) -> Estimate | None:
    return mean_estimate([value for value in values if value is not None], lowest=0)


def _best(figures: Mapping[int, list[float]]) -> frozenset[int]:
    """The runs of which no other one is shown to be better, by the same passages."""
    means = {
        key: found.value for key, values in figures.items() if (found := mean_of_known(values))
    }

    def lead(one: int, other: int) -> Estimate | None:
        return mean_estimate(_less(figures[one], figures[other]), lowest=-1, highest=1)

    return leading(means, lead)


def _less(values: list[float], others: list[float]) -> list[float]:
    return [one - other for one, other in zip(values, others, strict=True)]


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
