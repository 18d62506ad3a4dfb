"""What came out of runs of strategies: the figures of their answers, as ALCE has them."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Avg, F

from pipeline.engine.answer_scores import MAIN
from pipeline.metrics.inference import Estimate, share_estimate
from pipeline.models import Revision, Run
from pipeline.runs.results import mean_of_known, means_by_run

CORRECTNESS: Mapping[str, str] = {
    "str_em": "share of the short answers that are given",
    "qampari_rec_top5": "share of the right answers that are listed, where five are enough",
    "claims_nli": "share of the claims that are entailed",
}
"""What correctness means, by the figure that it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResults:
    """A run's figures over its scored answers, each with its n and 95 % interval.

    None where no answer has the figure.
    """

    n: int
    """Answers that are scored."""
    citation_recall: Estimate | None
    citation_precision: Estimate | None
    graded_recall: Estimate | None
    attribution: Estimate | None
    """Auto-AIS over all sources, cited or not."""
    correctness: Estimate | None
    correctness_means: tuple[str, ...]
    """What correctness is of these answers, in words; several where the questions differ."""
    rouge: Estimate | None
    words: Estimate | None
    with_problems: Estimate | None
    """The share of answers that break the form of citing; None where nobody looked."""
    recall_at: tuple[tuple[int, Estimate], ...]
    """By rank: the share of the short answers in so many best passages."""


def answer_results(run: Run) -> AnswerResults | None:
    """The run's figures so far; None before the first answer is scored."""
    done = Revision.objects.filter(run=run, state=Revision.State.DONE).order_by()
    rows = list(
        done.exclude(citation_scores={}).values_list(
            "citation_recall",
            "citation_precision",
            "citation_scores__corrected__citation_rec_graded",
            "attribution_before",
            "correctness",
            "citation_scores__corrected__rougeLsum",
            "citation_scores__corrected__length",
            "citation_scores__dataset",
            "generation__problems",
            "generation__recall_at",
        )
    )
    if not rows:
        return None
    recall, precision, graded, attribution, right, rouge, words, datasets, problems, found = zip(
        *rows, strict=True
    )
    looked = [each for each in problems if each is not None]
    ranks = sorted({int(rank) for each in found for rank in each or {}})
    at = {rank: mean_of_known(recall_among(each or {}, rank) for each in found) for rank in ranks}
    return AnswerResults(
        n=len(rows),
        citation_recall=mean_of_known(recall),
        citation_precision=mean_of_known(precision),
        graded_recall=mean_of_known(graded),
        attribution=mean_of_known(attribution),
        correctness=mean_of_known(right),
        correctness_means=tuple(
            CORRECTNESS[figure] for name, figure in MAIN.items() if name in datasets
        ),
        rouge=mean_of_known(rouge),
        words=mean_of_known(words, highest=math.inf),
        with_problems=share_estimate(sum(map(bool, looked)), len(looked)) if looked else None,
        recall_at=tuple((rank, mean) for rank, mean in at.items() if mean is not None),
    )


def recall_among(known: Mapping[str, float], rank: int) -> float | None:
    """An answer's recall in so many best passages; of fewer that were found, that of all of them.

    >>> recall_among({"1": 0.5, "5": 1.0}, 100), recall_among({}, 5)
    (1.0, None)
    """
    ranks = [each for each in map(int, known) if each <= rank]
    return known[str(max(ranks))] if ranks else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """Mean citation recall and precision of a run's answers."""

    recall: Estimate
    precision: float | None


def mean_citations_of(some: Iterable[Run]) -> dict[int, Citations]:
    """The mean citation recall of several runs by their id, in one query; none for no answers."""
    precision = Avg("citation_precision")
    return {
        row["run_id"]: Citations(recall=recall, precision=row["precision"])
        for row, recall in means_by_run(some, F("citation_recall"), lowest=0, precision=precision)
    }
