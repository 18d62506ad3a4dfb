"""Runs over one dataset in one table: systems that revise, and strategies that answer.

Only passages that every run has finished count, so no run gains by failing on hard ones. A figure
is the mean over those of them that have it: a strategy's answer is scored as ALCE scores answers,
a system's revision has auto-AIS, and what a run cannot have is None with the reason, never 0.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import stdev
from typing import Any, cast

from django.core.cache import cache
from django.db.models import Count, Max, Sum

from pipeline.engine.scorer_info import run_scorer
from pipeline.figures.progress import Progress
from pipeline.figures.results import mean_of_known, recall_among
from pipeline.generation.strategies import STRATEGIES
from pipeline.metrics.attribution import f1_ap_shares
from pipeline.metrics.differences import Lead, leading, paired_p, with_holm
from pipeline.metrics.inference import Estimate, ratio_estimate, share_estimate
from pipeline.models import Revision, Run
from pipeline.rarr.systems import SYSTEMS

MOST_RUNS = max(8, len(SYSTEMS), len(STRATEGIES))
CACHED_SECONDS = 600
AMOUNTS = ("length", "calls", "cached", "tokens", "cost", "seconds")
"""Of a passage: words, calls of a model, answers from the cache, tokens, money, and seconds by the
clock."""
MEASURES = (
    "correctness", "citation_recall", "citation_precision", "attribution", "strict_recall",
    "strict_precision", "graded_recall", "recall_at_5", "recall_at_100", "problems",
    "attribution_before", "restrictive", "preservation", *AMOUNTS,
)  # fmt: skip
"""What is known of each passage."""

CITES_NOTHING = "A revision cites nothing: only answers have citations."
NOT_ASKED = "A system that revises does not answer questions."
NOT_SCORED = "Nobody has scored these answers."
NO_CITATION = "No answer cites a source."
NO_RIGHT_ANSWER = "The dataset has no right answers."
NOT_KNOWN = "This run has not recorded it."
_OF_ANSWERS = {
    "correctness": NO_RIGHT_ANSWER, "citation_recall": NOT_SCORED, "strict_recall": NOT_SCORED,
    "graded_recall": NOT_SCORED, "citation_precision": NO_CITATION,
    "strict_precision": NO_CITATION, "recall_at_5": NO_RIGHT_ANSWER,
    "recall_at_100": NO_RIGHT_ANSWER, "length": NOT_SCORED, "attribution": NOT_SCORED,
}  # fmt: skip
_OF_REVISIONS = {
    "correctness": NOT_ASKED, "recall_at_5": NOT_ASKED, "recall_at_100": NOT_ASKED,
    "problems": NOT_ASKED,
} | dict.fromkeys(
    ("citation_recall", "citation_precision", "strict_recall", "strict_precision",
     "graded_recall"), CITES_NOTHING,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKind:
    """Which figures a table of runs has, by their names."""

    figures: tuple[str, ...]
    compared: tuple[str, ...]
    """Those in which rows are compared with the reference; more is better."""
    best: tuple[str, ...]
    """Those of which the best are marked."""
    required: tuple[str, ...] = ()
    """Measures without which a passage does not count."""


_COMPARED = MEASURES[:4]
ANSWERS = TableKind(
    figures=(*MEASURES[:10], "length", "calls", "tokens", "cost", "seconds"),
    compared=_COMPARED,
    best=(*_COMPARED, "graded_recall"),
)
REVISIONS = TableKind(
    figures=(
        "attribution_before", "attribution", "gain", "restrictive", "preservation", "f1_ap",
        "seconds", "calls", "cached", "cost",
    ),
    compared=("f1_ap",),
    best=("attribution", "f1_ap"),
    required=("attribution_before", "attribution", "preservation"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """The figures of one run, or of repeated runs together; or of the passages as they were."""

    runs: tuple[Run, ...]
    counts: Mapping[str, int]
    """How many passages are in which state, by the names of columns in a file."""
    figures: Mapping[str, Estimate | None]
    leads: Mapping[str, Lead] = field(default_factory=dict)
    """Less those of the reference, of the passages that both have, by the figures' names; p is
    adjusted for all rows (Holm). Empty for the reference."""
    best: frozenset[str] = frozenset()
    """The figures in which no other row is shown to be better."""
    is_reference: bool = False
    is_unrevised: bool = False
    """Whether these are the passages as they were, beside the evidence of `runs`."""
    repeats: tuple["ComparedRow", ...] = ()
    """Where repeated runs are one row: each alone."""

    @property
    def run(self) -> Run:
        return self.runs[0]

    @property
    def system(self) -> str:
        return "unrevised" if self.is_unrevised else self.run.system

    def deviation(self, key: str) -> float | None:
        """The sample standard deviation of a figure between the repeated runs; None for fewer
        than two that have it."""
        values = [figure.value for each in self.repeats if (figure := each.figures[key])]
        return stdev(values) if len(values) > 1 else None

    def why(self, name: str) -> str:
        """Why there is no such figure, in a sentence."""
        reasons = _OF_ANSWERS if self.run.shows_answers else _OF_REVISIONS
        if name == "citation_precision" and self.figures["citation_recall"] is None:
            name = "citation_recall"
        return reasons.get(name, NOT_KNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    kind: TableKind
    rows: tuple[ComparedRow, ...]
    """In the order of the runs that were given."""
    n: int
    """The passages that count: finished by every run, with every figure that is required."""
    excluded: int
    """Those that some run has finished and that do not count."""
    scorers_differ: bool
    """Whether different models scored the runs, so that attribution cannot be compared."""
    settings: Mapping[str, tuple[str, ...]]
    """The settings in which the runs differ, with the value of each run."""

    @property
    def has_cost(self) -> bool:
        return any(row.figures["cost"] for row in self.rows)


def compare(runs: Sequence[Run], *, against: int | None = None) -> Comparison:
    """The table of runs over one dataset, in the order given; at least one run.

    `against` is the number of the run that the others are compared with: else the first. Figures
    of revisions are cached until a figure, a state or a setting of the runs changes: reading every
    passage of several large runs takes seconds.
    """
    revisions = Revision.objects.filter(run__in=list(runs)).order_by()
    scores = ("attribution_before", "attribution_after", "preservation", "attribution_restrictive")
    # Both from indexes alone.
    sums = [Count(name) for name in scores] + [Sum(name) for name in scores]
    states = sorted(revisions.values_list("run_id", "state").annotate(Count("pk"), *sums))
    failed = {row[0]: row[2] for row in states if row[1] == Revision.State.FAILED}
    if any(run.shows_answers for run in runs):
        return _compare(runs, against, failed)
    ends = sorted(revisions.values_list("run_id").annotate(Max("finished_at")))
    settings = [(run.pk, run.config, run.versions) for run in runs]
    version = hashlib.sha256(repr([settings, states, ends, against]).encode()).hexdigest()
    compute = partial(_compare, runs, against, failed)
    key = f"pipeline.comparison.{version}"
    return cast("Comparison", cache.get_or_set(key, compute, CACHED_SECONDS))


Known = Mapping[int, tuple[float | None, ...]]
"""What is known of each passage of a run, by its id: as `MEASURES`."""
Values = Mapping[int, float]
"""A figure of the passages that have it."""


def _compare(runs: Sequence[Run], against: int | None, failed: Mapping[int, int]) -> Comparison:
    kind = ANSWERS if any(run.shows_answers for run in runs) else REVISIONS
    known = _read(runs)
    required = [MEASURES.index(name) for name in kind.required]
    complete = [
        {key for key, row in rows.items() if all(row[place] is not None for place in required)}
        for rows in known.values()
    ]
    shared = sorted(set.intersection(*complete))
    some = set().union(*(set(rows) for rows in known.values()))
    values = {
        run: {name: _values(rows, shared, name) for name in kind.figures}
        for run, rows in known.items()
    }
    figures = {
        run: {name: _figure(name, list(each.values())) for name, each in of_run.items()}
        for run, of_run in values.items()
    }
    best = {name: _best(name, values, figures) for name in kind.best}
    reference = against if against in known else runs[0].pk
    rows = [
        ComparedRow(
            runs=(run,),
            counts={"finished": len(known[run.pk]), "failed": failed.get(run.pk, 0)},
            figures=figures[run.pk],
            leads={}
            if run.pk == reference
            else {
                name: _lead(values[run.pk][name], values[reference][name]) for name in kind.compared
            },
            best=frozenset(name for name, keys in best.items() if run.pk in keys),
            is_reference=run.pk == reference,
        )
        for run in runs
    ]
    leads = with_holm([row.leads for row in rows])
    return Comparison(
        kind=kind,
        rows=tuple(replace(row, leads=each) for row, each in zip(rows, leads, strict=True)),
        n=len(shared),
        excluded=len(some) - len(shared),
        scorers_differ=len({run_scorer(run.config, run.versions) for run in runs}) > 1,
        settings=_differing([run.config for run in runs]),
    )


def _read(runs: Sequence[Run]) -> dict[int, dict[int, tuple[float | None, ...]]]:
    """What is known of each run's finished passages. One query."""
    known: dict[int, dict[int, tuple[float | None, ...]]] = {run.pk: {} for run in runs}
    answers = {run.pk for run in runs if run.shows_answers}
    columns = [
        "run_id", "passage_id", "attribution_before", "attribution_after", "preservation",
        "attribution_restrictive", "usage",
    ]  # fmt: skip
    if answers:
        columns += [
            "correctness", "citation_recall", "citation_precision", "text",
            "citation_scores__strict", "citation_scores__corrected", "generation__problems",
            "generation__recall_at",
        ]  # fmt: skip
    done = Revision.objects.filter(run__in=list(runs), state=Revision.State.DONE).order_by()
    for row in done.values(*columns).iterator():
        of_run = _of_answer(row) if row["run_id"] in answers else _of_revision(row)
        measures = of_run | _spent(row["usage"])
        # Numbers only: a hundred thousand dictionaries would keep the garbage collector at work.
        known[row["run_id"]][row["passage_id"]] = tuple(map(measures.get, MEASURES))
    return known


def _of_answer(row: Mapping[str, Any]) -> dict[str, float | None]:
    strict = row["citation_scores__strict"] or {}
    corrected = row["citation_scores__corrected"] or {}
    problems, recall_at = row["generation__problems"], row["generation__recall_at"] or {}
    return {
        "correctness": row["correctness"],
        "citation_recall": row["citation_recall"],
        "citation_precision": row["citation_precision"],
        # What a strategy wrote stands where a passage to revise stands, and there is no y.
        "attribution": row["attribution_before"],
        "strict_recall": strict.get("citation_rec"),
        "strict_precision": strict.get("citation_prec"),
        "graded_recall": corrected.get("citation_rec_graded"),
        "recall_at_5": recall_among(recall_at, 5),
        "recall_at_100": recall_among(recall_at, 100),
        "problems": None if problems is None else float(bool(problems)),
        "length": corrected.get("length"),
    }


def _of_revision(row: Mapping[str, Any]) -> dict[str, float | None]:
    return {
        "attribution_before": row["attribution_before"],
        "attribution": row["attribution_after"],
        "restrictive": row["attribution_restrictive"],
        "preservation": row["preservation"],
        "length": float(len(row["text"].split())) if "text" in row else None,
    }


def _spent(usage: Mapping[str, Any]) -> dict[str, float | None]:
    tokens = [usage.get(name) for name in ("input_tokens", "output_tokens")]
    return {
        "calls": usage.get("model_calls"),
        "cached": usage.get("cached_calls"),
        "tokens": None if None in tokens else sum(tokens),  # type: ignore[arg-type]
        "cost": usage.get("cost"),
        "seconds": usage.get("seconds"),
    }


def _values(known: Known, shared: Sequence[int], name: str) -> Values:
    if name == "gain":
        before, after = (
            _values(known, shared, each) for each in ("attribution_before", "attribution")
        )
        return {key: value - before[key] for key, value in after.items() if key in before}
    if name == "f1_ap":
        after, kept = (_values(known, shared, each) for each in ("attribution", "preservation"))
        keys = [key for key in after if key in kept]
        shares = f1_ap_shares([(after[key], kept[key]) for key in keys])
        return dict(zip(keys, shares, strict=True))
    place = MEASURES.index(name)
    return {key: value for key in shared if (value := known[key][place]) is not None}


def _figure(name: str, values: Sequence[float]) -> Estimate | None:
    if name == "problems":  # a thing that is so or not
        return share_estimate(round(sum(values)), len(values))
    if name in AMOUNTS:
        return ratio_estimate(values, lowest=0)
    return ratio_estimate(values, lowest=-1 if name == "gain" else 0, highest=1)


def _lead(own: Values, others: Values) -> Lead:
    differences = [value - others[key] for key, value in own.items() if key in others]
    return Lead(ratio_estimate(differences, lowest=-1, highest=1), paired_p(differences))


def _best(
    name: str,
    values: Mapping[int, Mapping[str, Values]],
    figures: Mapping[int, Mapping[str, Estimate | None]],
) -> frozenset[int]:
    """The runs of which no other one is shown to be better; none where one alone has the figure."""
    means = {run: figure.value for run, each in figures.items() if (figure := each[name])}
    if len(means) < 2:
        return frozenset()
    return leading(means, lambda a, b: _lead(values[a][name], values[b][name]).estimate)


def _differing(configs: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """The settings, but for the system, whose values are not the same in all runs."""
    flat = [dict(_flat(config)) for config in configs]
    names = list(dict.fromkeys(name for each in flat for name in each if name != "system"))
    found = {name: [each.get(name) for each in flat] for name in names}
    return {
        name: tuple(map(_shown_value, values))
        for name, values in found.items()
        if any(each != values[0] for each in values)
    }


def _flat(config: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in config.items():
        if isinstance(value, Mapping):
            yield from _flat(value)
        else:
            yield name, value


def _shown_value(value: Any) -> str:
    return "–" if value is None or value == "" else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far one of several runs is, and its attribution so far."""

    run: Run
    progress: Progress
    after: Estimate | None
    """Attr_auto of the revisions, or of a strategy's answers, over the passages that all of the
    runs have finished; None where none is scored, as of answers without sources."""


def shared_attribution(runs: Sequence[Run]) -> tuple[int, dict[int, Estimate | None]]:
    """How many passages all runs have finished and all that score any have scored; and by a run's
    id the `after` of its `Standing`. One query."""
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
