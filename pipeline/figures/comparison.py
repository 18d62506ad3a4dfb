"""Comparison of runs over one dataset: systems that revise, and strategies that answer.

Only passages finished by every run count, so none gains by failing on hard ones. A figure is the
mean over those that have it, else None with a reason.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import stdev
from typing import Any, cast

from django.core.cache import cache
from django.db.models import Count, Max, Sum

from pipeline.data.labelled_answers import CLUSTER_COLUMNS, cluster_of
from pipeline.engine.scorer_info import run_scorer
from pipeline.figures.results import mean_of_known, recall_among
from pipeline.generation.passages import RANKS
from pipeline.generation.strategies import STRATEGIES
from pipeline.metrics.attribution import f1_ap_contributions
from pipeline.metrics.differences import Lead, leading, paired_p, with_holm
from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.models import Revision, Run
from pipeline.rarr.systems import SYSTEMS

MOST_RUNS = max(8, len(SYSTEMS), len(STRATEGIES))
CACHED_SECONDS = 600
AMOUNTS = ("length", "calls", "cached", "tokens", "cost", "seconds")
"""Per passage: words, model calls, cached answers, tokens, cost, wall-clock seconds."""
SCORES = ("attribution_before", "attribution_after", "preservation", "attribution_restrictive")
"""Columns of a revision's scores."""

CITES_NOTHING = "A revision cites nothing: only answers have citations."
NO_ANSWERS = "A system that revises does not answer questions."
NOT_SCORED = "Nobody has scored these answers."
NO_CITATION = "No answer cites a source."
NO_RIGHT_ANSWER = "The dataset has no right answers."
NOT_KNOWN = "This run has not recorded it."
RECALL_AT = {rank: f"recall_at_{rank}" for rank in RANKS}
"""The figure of each rank."""
_REASONS = {
    "correctness": (NO_RIGHT_ANSWER, NO_ANSWERS),
    **dict.fromkeys(RECALL_AT.values(), (NO_RIGHT_ANSWER, NO_ANSWERS)),
    "problems": (NOT_KNOWN, NO_ANSWERS),
    "citation_recall": (NOT_SCORED, CITES_NOTHING),
    "citation_precision": (NO_CITATION, CITES_NOTHING),
    "strict_recall": (NOT_SCORED, CITES_NOTHING),
    "strict_precision": (NO_CITATION, CITES_NOTHING),
    "graded_recall": (NOT_SCORED, CITES_NOTHING),
    "length": (NOT_SCORED, NOT_KNOWN),
    "attribution": (NOT_SCORED, NOT_KNOWN),
}
"""Why answers, and why revisions, lack a figure; `NOT_KNOWN` for others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKind:
    """The figures of a table of runs."""

    figures: tuple[str, ...]
    compared: tuple[str, ...]
    """Figures compared with the reference; more is better."""
    best: tuple[str, ...]
    """Figures whose best are marked."""
    required: tuple[str, ...] = ()
    """Figures without which a passage does not count."""


_COMPARED = ("correctness", "citation_recall", "citation_precision", "attribution")
ANSWERS = TableKind(
    figures=(
        *_COMPARED,
        "strict_recall",
        "strict_precision",
        "graded_recall",
        *RECALL_AT.values(),
        "problems",
        "length",
        "calls",
        "tokens",
        "cost",
        "seconds",
    ),
    compared=_COMPARED,
    best=(*_COMPARED, "graded_recall"),
)
REVISIONS = TableKind(
    figures=(
        "attribution_before",
        "attribution",
        "gain",
        "restrictive",
        "preservation",
        "f1_ap",
        "seconds",
        "calls",
        "cached",
        "cost",
    ),
    compared=("f1_ap",),
    best=("attribution", "f1_ap"),
    required=("attribution_before", "attribution", "preservation"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """The figures of one run, of repeated runs together, or of unrevised passages."""

    runs: tuple[Run, ...]
    counts: Mapping[str, int]
    """Passages by state, with the names of a file's columns."""
    figures: Mapping[str, Estimate | None]
    leads: Mapping[str, Lead] = field(default_factory=dict)
    """Figures less those of the reference, with p adjusted for all rows (Holm); empty for the
    reference."""
    best: frozenset[str] = frozenset()
    """Figures in which this row is best or not significantly worse, and another row is worse."""
    is_reference: bool = False
    is_unrevised: bool = False
    """These are the unrevised passages, with the evidence of `runs`."""
    repeats: tuple["ComparedRow", ...] = ()
    """Each of repeated runs alone."""

    @property
    def run(self) -> Run:
        return self.runs[0]

    @property
    def system(self) -> str:
        return "unrevised" if self.is_unrevised else self.run.system

    def deviation(self, key: str) -> float | None:
        """The sample standard deviation between repeated runs; None for fewer than two values."""
        values = [figure.value for each in self.repeats if (figure := each.figures[key])]
        return stdev(values) if len(values) > 1 else None

    def why(self, name: str) -> str:
        """Why there is no such figure."""
        if name == "citation_precision" and self.figures["citation_recall"] is None:
            name = "citation_recall"
        of_answers, of_revisions = _REASONS.get(name, (NOT_KNOWN, NOT_KNOWN))
        return of_answers if self.run.shows_answers else of_revisions


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    kind: TableKind
    rows: tuple[ComparedRow, ...]
    """In the order of the given runs."""
    n: int
    """The passages that count: finished by every run, with required figures."""
    excluded: int
    """Passages finished by some run that do not count."""
    scorers_differ: bool
    """Attribution is not comparable: different models scored the runs."""
    settings: Mapping[str, tuple[str, ...]]
    """Settings that differ, with each run's value."""


def compare(runs: Sequence[Run], *, against: int | None = None) -> Comparison:
    """Compare one or more runs over one dataset with run `against`, by default the first.

    Comparisons of revisions are cached until a figure, a state or a setting changes.
    """
    revisions = Revision.objects.filter(run__in=list(runs)).order_by()
    # Covered by indexes.
    sums = [Count(name) for name in SCORES] + [Sum(name) for name in SCORES]
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


Clusters = Mapping[int, Hashable]
"""Passage id to `cluster_of`."""
Values = Mapping[int, float]
"""Passage id to the value of a figure."""


def _compare(runs: Sequence[Run], against: int | None, failed: Mapping[int, int]) -> Comparison:
    kind = ANSWERS if any(run.shows_answers for run in runs) else REVISIONS
    finished, known, clusters = _read(runs)
    required = [known[run][name].keys() for run in finished for name in kind.required]
    shared = sorted(set.intersection(*finished.values()).intersection(*required))
    values = {
        run: {name: _values(measures, shared, name) for name in kind.figures}
        for run, measures in known.items()
    }
    figures = {
        run: {name: _figure(name, each, clusters) for name, each in of_run.items()}
        for run, of_run in values.items()
    }
    best = {name: _best(name, values, figures, clusters) for name in kind.best}
    reference = against if against in known else runs[0].pk
    rows = [
        ComparedRow(
            runs=(run,),
            counts={"finished": len(finished[run.pk]), "failed": failed.get(run.pk, 0)},
            figures=figures[run.pk],
            leads={}
            if run.pk == reference
            else {
                name: _lead(values[run.pk][name], values[reference][name], clusters)
                for name in kind.compared
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
        excluded=len(set().union(*finished.values())) - len(shared),
        scorers_differ=len({run_scorer(run.config, run.versions) for run in runs}) > 1,
        settings=_differing([run.config for run in runs]),
    )


def _read(
    runs: Sequence[Run],
) -> tuple[dict[int, set[int]], dict[int, dict[str, dict[int, float]]], dict[int, Hashable]]:
    """Read passages: by run, those finished, and their measures by name; their clusters."""
    finished: dict[int, set[int]] = {run.pk: set() for run in runs}
    known: dict[int, dict[str, dict[int, float]]] = {run.pk: defaultdict(dict) for run in runs}
    clusters: dict[int, Hashable] = {}
    answers = {run.pk for run in runs if run.shows_answers}
    columns = ["run_id", "usage", *CLUSTER_COLUMNS, *SCORES]
    if answers:
        columns += ["correctness", "citation_recall", "citation_precision", "text"]
        columns += ["citation_scores__strict", "citation_scores__corrected"]
        columns += ["generation__problems", "generation__recall_at"]
    done = Revision.objects.filter(run__in=list(runs), state=Revision.State.DONE).order_by()
    for row in done.values(*columns).iterator():
        run, passage = row["run_id"], row["passage_id"]
        measures = _of_answer(row) if run in answers else _of_revision(row)
        finished[run].add(passage)
        clusters[passage] = cluster_of(*(row[name] for name in CLUSTER_COLUMNS))
        for name, value in (measures | _spent(row["usage"])).items():
            if value is not None:
                known[run][name][passage] = value
    return finished, known, clusters


def _of_answer(row: Mapping[str, Any]) -> dict[str, float | None]:
    strict = row["citation_scores__strict"] or {}
    corrected = row["citation_scores__corrected"] or {}
    problems, recall_at = row["generation__problems"], row["generation__recall_at"] or {}
    return {
        "correctness": row["correctness"],
        "citation_recall": row["citation_recall"],
        "citation_precision": row["citation_precision"],
        # A written answer is x; there is no y.
        "attribution": row["attribution_before"],
        "strict_recall": strict.get("citation_rec"),
        "strict_precision": strict.get("citation_prec"),
        "graded_recall": corrected.get("citation_rec_graded"),
        **{name: recall_among(recall_at, rank) for rank, name in RECALL_AT.items()},
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


def _values(measures: Mapping[str, Values], shared: Sequence[int], name: str) -> Values:
    if name == "gain":
        before, after = (
            _values(measures, shared, each) for each in ("attribution_before", "attribution")
        )
        return {key: value - before[key] for key, value in after.items() if key in before}
    if name == "f1_ap":
        after, retained = (
            _values(measures, shared, each) for each in ("attribution", "preservation")
        )
        keys = [key for key in after if key in retained]
        contributions = f1_ap_contributions([(after[key], retained[key]) for key in keys])
        return dict(zip(keys, contributions, strict=True))
    return {key: measures[name][key] for key in shared if key in measures[name]}


def _figure(name: str, values: Values, clusters: Clusters) -> Estimate | None:
    return ratio_estimate(
        list(values.values()),
        clusters=[clusters[key] for key in values],
        lowest=-1 if name == "gain" else 0,
        highest=math.inf if name in AMOUNTS else 1,
    )


def _lead(compared: Values, others: Values, clusters: Clusters) -> Lead:
    shared = [key for key in compared if key in others]
    differences = [compared[key] - others[key] for key in shared]
    of_shared = [clusters[key] for key in shared]
    estimate = ratio_estimate(differences, clusters=of_shared, lowest=-1, highest=1)
    return Lead(estimate, paired_p(differences, clusters=of_shared))


def _best(
    name: str,
    values: Mapping[int, Mapping[str, Values]],
    figures: Mapping[int, Mapping[str, Estimate | None]],
    clusters: Clusters,
) -> frozenset[int]:
    means = {run: figure.value for run, each in figures.items() if (figure := each[name])}
    return leading(means, lambda a, b: _lead(values[a][name], values[b][name], clusters).estimate)


def _differing(configs: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """The settings that differ between runs, without the system."""
    flat = [
        {name.rpartition(".")[2]: value for name, value in flat_settings(config)}
        for config in configs
    ]
    names = dict.fromkeys(name for each in flat for name in each if name != "system")
    settings = {name: [each.get(name) for each in flat] for name in names}
    return {
        name: tuple("–" if value is None or value == "" else str(value) for value in values)
        for name, values in settings.items()
        if any(each != values[0] for each in values)
    }


def flat_settings(config: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Yield the settings of a configuration, such as "rarr.query_samples", with their values."""
    for name, value in config.items():
        if isinstance(value, Mapping):
            yield from flat_settings(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def shared_attribution(runs: Sequence[Run]) -> tuple[int, dict[int, Estimate | None]]:
    """The number of passages finished and scored by all runs, and run id to mean attribution.

    Runs without any scores only need to finish. One query.
    """
    known: dict[int, dict[int, float | None]] = {run.pk: {} for run in runs}
    done = Revision.objects.filter(run__in=list(runs), state=Revision.State.DONE).order_by()
    written = {run.pk for run in runs if run.writes_answers}
    clusters: dict[int, Hashable] = {}
    for run_id, before, after, *columns in done.values_list(
        "run_id", "attribution_before", "attribution_after", *CLUSTER_COLUMNS
    ):
        passage_id = columns[0]
        clusters[passage_id] = cluster_of(*columns)
        known[run_id][passage_id] = before if run_id in written else after
    scoring = [figures for figures in known.values() if set(figures.values()) - {None}]
    shared = [
        passage
        for passage in sorted(set.intersection(*map(set, known.values())))
        if all(figures[passage] is not None for figures in scoring)
    ]
    of_shared = [clusters[passage] for passage in shared]
    return len(shared), {
        run.pk: mean_of_known([known[run.pk][passage] for passage in shared], of_shared)
        for run in runs
    }
