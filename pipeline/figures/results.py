"""Figures of runs: of revised passages, and of answers as in ALCE."""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import Avg, Count, F, OuterRef, StdDev, Subquery

from pipeline.data.labelled_answers import CLUSTER_COLUMNS, cluster_of
from pipeline.engine.answer_scores import MAIN
from pipeline.engine.auto_ais import ATTRIBUTED_CODES
from pipeline.metrics.attribution import f1_ap_of_means
from pipeline.metrics.inference import Estimate, mean_estimate, ratio_estimate
from pipeline.models import Passage, Revision, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Over revised passages; means are None where no passage has the figure."""

    attributed: int
    sentences: int
    """Of the revised texts; `attributed` of these are attributed."""

    attribution_before: Estimate | None
    attribution_after: Estimate | None
    attribution_gain: Estimate | None
    """The mean difference, -1.0 to 1.0."""
    preservation: Estimate | None
    f1_ap: Estimate | None
    """Of the mean attribution after revision and the mean preservation (Table 2 of the paper)."""
    changed: Estimate | None


def run_results(run: Run) -> Results | None:
    """Compute the figures; None before the first passage is revised."""
    done = Revision.objects.filter(run=run, state=Revision.State.DONE).order_by()
    figures = ("attribution_before", "attribution_after", "preservation", "is_changed", "marks")
    rows = list(done.values_list(*figures, *CLUSTER_COLUMNS))
    if not rows:
        return None
    before, after, preservation, changed, marks, *columns = zip(*rows, strict=True)
    clusters = list(map(cluster_of, *columns))
    gains = [
        None if None in pair else pair[1] - pair[0] for pair in zip(before, after, strict=True)
    ]
    both = [row for row in rows if row[1] is not None and row[2] is not None]
    codes = "".join(marks)
    return Results(
        attributed=sum(code in ATTRIBUTED_CODES for code in codes),
        sentences=len(codes),
        attribution_before=mean_of_known(before, clusters),
        attribution_after=mean_of_known(after, clusters),
        attribution_gain=mean_of_known(gains, clusters, lowest=-1),
        preservation=mean_of_known(preservation, clusters),
        f1_ap=f1_ap_of_means([row[1:3] for row in both], [cluster_of(*row[5:]) for row in both]),
        changed=mean_of_known(changed, clusters),
    )


def mean_of_known(
    values: Iterable[float | None],
    clusters: Iterable[Hashable],
    *,
    lowest: float = 0,
    highest: float = 1,
) -> Estimate | None:
    known = [(v, cluster) for v, cluster in zip(values, clusters, strict=True) if v is not None]
    some, of_some = zip(*known, strict=True) if known else ((), ())
    return ratio_estimate(some, clusters=of_some, lowest=lowest, highest=highest)


def mean_attribution_of(some: Iterable[Run]) -> dict[int, dict[str, Any]]:
    """Compute mean Attr_auto `before` and `after` of passages with both, and its `gain`.

    By run id, of runs that have it. One query.
    """
    difference = F("attribution_after") - F("attribution_before")
    before, after = Avg("attribution_before"), Avg("attribution_after")
    return _means_by_run(some, "gain", difference, lowest=-1, before=before, after=after)


def mean_citations_of(some: Iterable[Run]) -> dict[int, dict[str, Any]]:
    """Compute mean citation `recall` and `precision` by run id. One query."""
    precision = Avg("citation_precision")
    return _means_by_run(some, "recall", F("citation_recall"), lowest=0, precision=precision)


def _means_by_run(
    some: Iterable[Run], name: str, value: Any, *, lowest: float, **more: Avg
) -> dict[int, dict[str, Any]]:
    """Estimate the mean of a figure from `lowest` to 1, and `more` means without intervals.

    Over finished passages that have the figure.
    """
    done = Revision.objects.filter(run__in=list(some), state=Revision.State.DONE).order_by()
    known = done.annotate(value=value).filter(value__isnull=False)
    passages = Passage.objects.filter(dataset=OuterRef("run__dataset")).order_by("pk")
    rows: Iterable[Any] = (
        known.values("run_id")
        # Of the population: SQLite's sample deviation fails on a single row.
        .annotate(n=Count("pk"), mean=Avg("value"), spread=StdDev("value"), **more)
        .annotate(format=Subquery(passages.values("format")[:1]))
    )
    means = {}
    for row in rows:
        estimate: Estimate | None
        if row["format"] == "hagrid":
            columns = known.filter(run=row["run_id"]).values_list("value", *CLUSTER_COLUMNS)
            values, *arguments = zip(*columns, strict=True)
            clusters = list(map(cluster_of, *arguments))
            estimate = ratio_estimate(values, clusters=clusters, lowest=lowest, highest=1)
        else:
            n = row["n"]
            deviation = row["spread"] * math.sqrt(n / (n - 1)) if n > 1 else None
            estimate = mean_estimate(
                n=n, mean=row["mean"], deviation=deviation, lowest=lowest, highest=1
            )
        means[row["run_id"]] = row | {name: estimate}
    return means


CORRECTNESS: Mapping[str, str] = {
    "str_em": "share of the short answers that are given",
    "qampari_rec_top5": "share of the right answers that are listed, where five are enough",
    "claims_nli": "share of the claims that are entailed",
}
"""Figure of correctness to its meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResults:
    """Means over scored answers; None where no answer has the figure."""

    n: int
    citation_recall: Estimate | None
    citation_precision: Estimate | None
    graded_recall: Estimate | None
    attribution: Estimate | None
    """Auto-AIS by all sources, cited or not."""
    correctness: Estimate | None
    correctness_means: tuple[str, ...]
    """Its meanings, by kinds of questions."""
    rouge: Estimate | None
    words: Estimate | None
    with_problems: Estimate | None
    """The share of answers with a wrong form of citing, of those checked."""
    recall_at: tuple[tuple[int, Estimate], ...]
    """(rank, share of short answers in so many best passages)."""


def answer_results(run: Run) -> AnswerResults | None:
    """Compute the figures; None before the first answer is scored."""
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
            *CLUSTER_COLUMNS,
        )
    )
    if not rows:
        return None
    recall, precision, graded, attribution, right, rouge, words, *rest = zip(*rows, strict=True)
    datasets, problems, at_ranks, *columns = rest
    clusters = list(map(cluster_of, *columns))
    mean = partial(mean_of_known, clusters=clusters)
    ranks = sorted({int(rank) for each in at_ranks for rank in each or {}})
    at = {rank: mean([recall_among(each or {}, rank) for each in at_ranks]) for rank in ranks}
    return AnswerResults(
        n=len(rows),
        citation_recall=mean(recall),
        citation_precision=mean(precision),
        graded_recall=mean(graded),
        attribution=mean(attribution),
        correctness=mean(right),
        correctness_means=tuple(
            CORRECTNESS[figure] for name, figure in MAIN.items() if name in datasets
        ),
        rouge=mean(rouge),
        words=mean(words, highest=math.inf),
        with_problems=mean([None if each is None else float(bool(each)) for each in problems]),
        recall_at=tuple((rank, result) for rank, result in at.items() if result is not None),
    )


def recall_among(known: Mapping[str, float], rank: int) -> float | None:
    """The recall in so many best passages, or in fewer if there are no more.

    >>> recall_among({"1": 0.5, "5": 1.0}, 100), recall_among({}, 5)
    (1.0, None)
    """
    ranks = [each for each in map(int, known) if each <= rank]
    return known[str(max(ranks))] if ranks else None
