"""Entailment models compared with human labels on the same lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.files.evidence_questions import EvidenceQuestion
from pipeline.metrics.attribution import best_entailment
from pipeline.metrics.inference import Estimate
from pipeline.metrics.validity import Scored, Validity, balanced_accuracy, validity

THRESHOLD = 0.5
"""Scores from here on count as supported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    model: str
    scores: Mapping[int, Sequence[float]]
    """Scores of each line's evidence, by line number, without lines that it could not score."""
    pairs: int
    """Different pairs of evidence and sentence."""
    seconds: float
    """Without loading."""
    calls: int = 0
    """Of a language model, without cached answers."""
    cost: float | None = None
    """None without a known price, or without calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAgreement:
    """Agreement of scores with labels; None without data."""

    work: Work
    validity: Validity
    """Over labelled lines with evidence that all models scored, clustered by group."""
    balanced_accuracy: Estimate | None
    """At `THRESHOLD`; 0.5 is chance."""

    @property
    def pairs_per_second(self) -> float | None:
        return (
            self.work.pairs / self.work.seconds if self.work.pairs and self.work.seconds else None
        )

    def to_plain(self) -> dict[str, Any]:
        work, speed = self.work, self.pairs_per_second
        return {
            "model": work.model,
            "n": self.validity.n,
            "groups": self.validity.clusters,
            "auc": _plain(self.validity.auc),
            "balanced_accuracy": _plain(self.balanced_accuracy),
            "pairs": work.pairs,
            "seconds": round(work.seconds, 3),
            "pairs_per_second": speed and round(speed, 2),
            "calls": work.calls,
            "cost": work.cost,
        }


def compare_models(
    questions: Sequence[EvidenceQuestion], works: Sequence[Work]
) -> list[ModelAgreement]:
    """Return each model's figures over lines that all scored, clustered by `group`."""
    shared = [
        each
        for each in questions
        if each.label is not None and all(work.scores.get(each.number) for work in works)
    ]
    figures = []
    for work in works:
        scored = [
            Scored(
                score=best_entailment(work.scores[each.number])[0],
                human_share=float(bool(each.label)),
                cluster=each.group,
            )
            for each in shared
        ]
        accuracy = balanced_accuracy(scored, threshold=THRESHOLD)
        figures.append(
            ModelAgreement(work=work, validity=validity(scored), balanced_accuracy=accuracy)
        )
    return figures


def line_to_plain(question: EvidenceQuestion, works: Sequence[Work]) -> dict[str, Any]:
    """Return the label, and each model's best score."""
    return {
        "id": question.id,
        "label": None if question.label is None else int(question.label),
        "scores": {
            work.model: best_entailment(scores)[0]
            if (scores := work.scores.get(question.number))
            else None
            for work in works
        },
    }


def table(figures: Sequence[ModelAgreement]) -> str:
    """Format a line per model, then notes on the intervals.

    Columns: n, AUC and balanced accuracy with intervals, pairs/s.
    """
    width = max(len("model"), *(len(each.work.model) for each in figures)) + 2
    head = f"{'model':<{width}}{'n':>6}  {'AUC':<23}{'balanced accuracy':<23}pairs/s"
    notes = (
        f"{each.work.model}, {name}: {estimate.note('groups')}"
        for each in figures
        for name, estimate in (
            ("AUC", each.validity.auc),
            ("balanced accuracy", each.balanced_accuracy),
        )
        if estimate and estimate.note()
    )
    return "\n".join([head, *(_row(each, width) for each in figures), *notes])


def _row(figures: ModelAgreement, width: int) -> str:
    scored, speed = figures.validity, figures.pairs_per_second
    values = (
        "–" if each is None else f"{each:.3f}" for each in (scored.auc, figures.balanced_accuracy)
    )
    return (
        f"{figures.work.model:<{width}}{scored.n:>6,}  {''.join(f'{each:<23}' for each in values)}"
        f"{'–' if speed is None else f'{speed:,.1f}'}"
    )


def _plain(estimate: Estimate | None) -> dict[str, float | str | None] | None:
    if estimate is None:
        return None
    ends = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    rounded = {name: end if end is None else round(end, 4) for name, end in ends.items()}
    return {**rounded, "note": estimate.note("groups")}
