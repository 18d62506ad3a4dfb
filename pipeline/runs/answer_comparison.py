"""Strategies that answer, and systems that revise, over the same questions: one row a run.

Only passages that every run has finished count, so no run gains by failing on hard ones. A figure
is the mean over those of them that have it: a strategy's answer is scored as ALCE scores answers,
a system's revision has auto-AIS, and what a run cannot have is None with the reason, never 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.engine.scorer_info import Scorer, run_scorer
from pipeline.metrics.differences import Lead, leading, paired_p, with_holm
from pipeline.metrics.inference import Estimate, mean_estimate, share_estimate
from pipeline.models import Revision, Run
from pipeline.runs.answer_results import recall_among
from pipeline.runs.progress import count_failed

COMPARED = ("correctness", "citation_recall", "citation_precision", "attribution")
"""The figures in which rows are compared with the reference; from 0.0 to 1.0, as those of
`SHARES`, and more is better."""
SHARES = (
    *COMPARED, "strict_recall", "strict_precision", "graded_recall", "recall_at_5",
    "recall_at_100", "problems",
)  # fmt: skip
AMOUNTS = ("length", "calls", "tokens", "cost", "seconds")
"""Of an answer: words, calls of a model, tokens, money, and seconds by the clock."""
FIGURES = (*SHARES, *AMOUNTS)
BETTER = (*COMPARED, "graded_recall")
"""Those of which the best are told."""

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
class Row:
    """One run."""

    run: Run
    scorer: Scorer | None
    finished: int
    """Passages that it has finished, shared or not."""
    failed: int
    figures: Mapping[str, Estimate | None]
    """By the names of `FIGURES`."""
    leads: Mapping[str, Lead] = field(default_factory=dict)
    """Less the reference's, of the passages that have both, by the names of `COMPARED`; p is
    adjusted for all rows (Holm). Empty for the reference."""
    best: frozenset[str] = frozenset()
    """The figures in which no other run is told to be better."""
    is_reference: bool = False

    def why(self, name: str) -> str:
        """Why there is no such figure, in a sentence."""
        reasons = _OF_ANSWERS if self.run.shows_answers else _OF_REVISIONS
        if name == "citation_precision" and self.figures["citation_recall"] is None:
            name = "citation_recall"
        return reasons.get(name, NOT_KNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerComparison:
    rows: tuple[Row, ...]
    """In the order of the runs that were given."""
    n: int
    """The passages that every run has finished."""
    left_out: int
    """Those that only some have."""
    scorers_differ: bool

    @property
    def has_cost(self) -> bool:
        return any(row.figures["cost"] for row in self.rows)


Values = Mapping[str, float | None]
"""What one passage has in each figure."""


def compare_answers(runs: Sequence[Run], *, against: int | None = None) -> AnswerComparison:
    """The table of runs over one dataset, at least one; two queries.

    `against` is the number of the run that the others are compared with: else the first.
    """
    known = _read(runs)
    shared = sorted(set.intersection(*(set(values) for values in known.values())))
    some = set().union(*(set(values) for values in known.values()))
    failed = count_failed(runs)
    reference = against if against in known else runs[0].pk
    best = {name: _best(known, shared, name) for name in BETTER} if len(runs) > 1 else {}
    rows = [
        Row(
            run=run,
            scorer=run_scorer(run.config, run.versions),
            finished=len(known[run.pk]),
            failed=failed.get(run.pk, 0),
            figures={name: _figure(known[run.pk], shared, name) for name in FIGURES},
            leads={name: _lead(known[run.pk], known[reference], shared, name) for name in COMPARED}
            if run.pk != reference
            else {},
            best=frozenset(name for name, keys in best.items() if run.pk in keys),
            is_reference=run.pk == reference,
        )
        for run in runs
    ]
    leads = with_holm([row.leads for row in rows])
    return AnswerComparison(
        rows=tuple(replace(row, leads=own) for row, own in zip(rows, leads, strict=True)),
        n=len(shared),
        left_out=len(some) - len(shared),
        scorers_differ=len({row.scorer for row in rows}) > 1,
    )


def _read(runs: Sequence[Run]) -> dict[int, dict[int, Values]]:
    """By the run and the passage."""
    found: dict[int, dict[int, Values]] = {run.pk: {} for run in runs}
    answers = {run.pk for run in runs if run.shows_answers}
    done = Revision.objects.filter(run__in=list(runs), state=Revision.State.DONE).order_by()
    rows = done.values(
        "run_id", "passage_id", "correctness", "citation_recall", "citation_precision",
        "attribution_before", "attribution_after", "usage", "text", "citation_scores__strict",
        "citation_scores__corrected", "generation__problems", "generation__recall_at",
    )  # fmt: skip
    for row in rows.iterator():
        of_run = _of_answer(row) if row["run_id"] in answers else _of_revision(row)
        found[row["run_id"]][row["passage_id"]] = of_run | _spent(row["usage"])
    return found


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
        "attribution": row["attribution_after"],
        "length": float(len(row["text"].split())),
    }


def _spent(usage: Mapping[str, Any]) -> dict[str, float | None]:
    tokens = [usage.get(name) for name in ("input_tokens", "output_tokens")]
    return {
        "calls": usage.get("model_calls"),
        "tokens": None if None in tokens else sum(tokens),  # type: ignore[arg-type]
        "cost": usage.get("cost"),
        "seconds": usage.get("seconds"),
    }


def _figure(values: Mapping[int, Values], shared: Sequence[int], name: str) -> Estimate | None:
    known = [value for key in shared if (value := values[key].get(name)) is not None]
    if name == "problems":  # a thing that is so or not
        return share_estimate(round(sum(known)), len(known))
    return mean_estimate(known, lowest=0, highest=1 if name in SHARES else float("inf"))


def _differences(
    own: Mapping[int, Values], others: Mapping[int, Values], shared: Sequence[int], name: str
) -> list[float]:
    return [
        one - other
        for key in shared
        if (one := own[key].get(name)) is not None and (other := others[key].get(name)) is not None
    ]


def _lead(
    own: Mapping[int, Values], others: Mapping[int, Values], shared: Sequence[int], name: str
) -> Lead:
    differences = _differences(own, others, shared, name)
    return Lead(mean_estimate(differences, lowest=-1, highest=1), paired_p(differences))


def _best(
    known: Mapping[int, Mapping[int, Values]], shared: Sequence[int], name: str
) -> frozenset[int]:
    """The runs of which no other one is told to be better; none where one alone has the figure."""
    means = {
        key: found.value
        for key, values in known.items()
        if (found := _figure(values, shared, name)) is not None
    }
    if len(means) < 2:
        return frozenset()
    return leading(
        means,
        lambda one, other: mean_estimate(_differences(known[one], known[other], shared, name)),
    )


def sorted_rows(rows: Sequence[Row], sort: str) -> list[Row]:
    """By a figure's name, or `system`; from the highest if `-` is in front. What has no figure
    comes last; unknown names sort nothing."""
    name, falls = sort.removeprefix("-"), sort.startswith("-")
    if name == "system":
        return sorted(rows, key=lambda row: row.run.system, reverse=falls)
    if name not in FIGURES:
        return list(rows)
    known = [(found.value, row) for row in rows if (found := row.figures[name]) is not None]
    known.sort(key=lambda pair: pair[0], reverse=falls)
    return [row for _, row in known] + [row for row in rows if row.figures[name] is None]
