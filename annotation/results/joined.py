"""The joined table: attribution and preservation of runs, as in the RARR paper's Table 1.

Raters judge attribution and preserved intent in different campaigns. A passage judged in both has
a human F1_AP.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from annotation.models import Campaign, CampaignRun
from annotation.results.cached_figures import FigureCache, are_large, is_large, runs_fingerprint
from annotation.results.joined_revisions import (
    PRESERVATION,
    UNEDITED,
    RevisionFigures,
    read_revisions,
)
from annotation.results.samples import SampledRevision, design_of, is_clustered, is_weighted
from pipeline.engine.configuration import BUDGETS
from pipeline.figures.comparison import ComparedRow
from pipeline.metrics.attribution import f1_ap_contributions
from pipeline.metrics.differences import NO_LEAD, Lead, leading, paired_p, with_holm
from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.models import Run

UNREVISED = "unrevised"
"""A value of `against`: each row is compared with its own unrevised passages."""
FIGURES = (
    "attr_auto_before",
    "attr_auto_after",
    "attr_ais_before",
    "attr_ais_after",
    "pres_intent",
    "pres_lev",
    "pres_comb",
    "f1_auto",
    "f1_human",
    "unedited_auto",
    "unedited_ais",
)
F1 = {
    "f1_auto": ("attr_auto_after", "pres_lev", ""),
    "f1_human": ("attr_ais_after", "pres_comb", "both"),
}
"""By F1_AP: its columns of attribution and preservation, and its key in
`RevisionFigures.weights` ("" for 1.0)."""
BEST = tuple(key for key in FIGURES if not key.endswith("_before") and key not in UNEDITED)
"""Figures whose best are marked."""


def runs_of(campaigns: Sequence[Campaign]) -> list[Run]:
    """List the runs that `campaigns` judge, oldest first. One query."""
    return list(
        Run.objects.filter(pk__in=CampaignRun.objects.filter(campaign__in=campaigns).values("run"))
        .select_related("dataset", "corpus")
        .order_by("pk")
    )


def cached_joined_rows(
    campaigns: Sequence[Campaign], runs: Sequence[Run], cache: FigureCache, *, against: str
) -> list[ComparedRow] | None:
    """Return `joined_rows`. They are cached for large runs or campaigns; None if missing."""
    compute = partial(joined_rows, campaigns, runs=runs, against=against)
    if not are_large(runs) and not any(map(is_large, campaigns)):
        return compute()
    campaign_ids = sorted(each.pk for each in campaigns)
    by_id = {run.pk: run for run in runs}
    key = (campaign_ids, sorted(by_id), against, runs_fingerprint(campaign_ids, by_id))
    # Runs are cached as their keys, as they can change.
    rows = cache.get_by_key(
        lambda: [_map_runs(row, attrgetter("pk")) for row in compute()], "joined_rows", *key
    )
    return None if rows is None else [_map_runs(row, by_id.__getitem__) for row in rows]


def _map_runs(row: ComparedRow, change: Callable[[Any], Any]) -> ComparedRow:
    repeats = tuple(_map_runs(each, change) for each in row.repeats)
    return replace(row, runs=tuple(map(change, row.runs)), repeats=repeats)


def joined_rows(
    campaigns: Sequence[Campaign], *, runs: Sequence[Run] | None = None, against: str = ""
) -> list[ComparedRow]:
    """Compute the rows of `runs`, by default of all that `campaigns` judge. Seven queries.

    `campaigns` are of `joined_revisions.JOINED`. Repeated runs are one row. A dataset's
    rows are its unrevised passages, then its runs, oldest first. Their reference is the row of the
    run whose key is `against`; in other datasets, the oldest of that run's system, else the oldest.
    If `against` is `UNREVISED`, each row is compared with its unrevised passages.
    """
    runs = runs_of(campaigns) if runs is None else sorted(runs, key=lambda run: run.pk)
    revisions = read_revisions([run.pk for run in runs], campaigns)
    datasets: dict[tuple[str, int], list[_RowWithRevisions]] = {}
    for repeats in _group_repeats(runs):
        revised = [run for run in repeats if run.pk in revisions]
        if revised:
            of_runs = [each for run in revised for each in revisions[run.pk]]
            dataset = revised[0].dataset
            of_dataset = datasets.setdefault((dataset.name, dataset.pk), [])
            of_dataset.append(_row_of_repeats(revised, of_runs))
    system = next((run.system for run in runs if str(run.pk) == against), "")
    rows = [row for _, each in sorted(datasets.items()) for row in _compared(each, against, system)]
    leads = with_holm([row.leads for row in rows])
    return [replace(row, leads=adjusted) for row, adjusted in zip(rows, leads, strict=True)]


def _group_repeats(runs: Sequence[Run]) -> list[list[Run]]:
    """Group runs of one system and configuration over the same dataset and corpus.

    Budgets may differ.
    """
    groups: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        config = {name: value for name, value in run.config.items() if name not in BUDGETS}
        key = (run.dataset_id, run.corpus_id, run.system, json.dumps(config, sort_keys=True))
        groups.setdefault(key, []).append(run)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class _RowWithRevisions:
    row: ComparedRow
    revisions: Sequence[RevisionFigures]

    def unrevised(self) -> "_RowWithRevisions":
        before = [each.unrevised() for each in self.revisions]
        row = _row(self.row.runs, before)
        # 1.0 by definition, not estimated.
        preserved = {
            key: replace(figure, low=1.0, high=1.0)
            for key in PRESERVATION
            if (figure := row.figures[key]) is not None
        }
        row = replace(row, figures={**row.figures, **preserved}, is_unrevised=True)
        return _RowWithRevisions(row, before)


def _row_of_repeats(runs: Sequence[Run], revisions: Sequence[RevisionFigures]) -> _RowWithRevisions:
    row = _row(tuple(runs), revisions)
    if len(runs) > 1:
        repeats = [_row((run,), [each for each in revisions if each.run == run.pk]) for run in runs]
        row = replace(row, repeats=tuple(repeats))
    return _RowWithRevisions(row, revisions)


def _row(runs: tuple[Run, ...], revisions: Sequence[RevisionFigures]) -> ComparedRow:
    return ComparedRow(
        runs=runs,
        counts={
            "runs": len(runs),
            "revised": len(revisions),
            "without_attribution": sum(r.figures["attr_ais_after"] is None for r in revisions),
            "without_intent": sum(r.figures["pres_intent"] is None for r in revisions),
        },
        figures={
            key: _f1(_pairs(revisions, key)) if key in F1 else _mean(_values(revisions, key))
            for key in FIGURES
        },
    )


def _mean(values: Sequence[tuple[SampledRevision, float]]) -> Estimate | None:
    design = design_of(sample for sample, _ in values)
    return ratio_estimate([value for _, value in values], **design, lowest=0, highest=1)


def _f1(pairs: Sequence[tuple[SampledRevision, tuple[float, float]]]) -> Estimate | None:
    design = design_of(sample for sample, _ in pairs)
    weights = design["weights"] if is_weighted(design) else None
    contributions = f1_ap_contributions([pair for _, pair in pairs], weights)
    return ratio_estimate(contributions, **design, lowest=0, highest=1)


def _values(revisions: Sequence[RevisionFigures], key: str) -> list[tuple[SampledRevision, float]]:
    return [
        (each.sampled_for(key), value)
        for each in revisions
        if (value := each.figures[key]) is not None
    ]


def _pairs(
    revisions: Sequence[RevisionFigures], key: str
) -> list[tuple[SampledRevision, tuple[float, float]]]:
    """List the attribution and preservation of the revisions that have both."""
    attribution, preservation, weighted_as = F1[key]
    return [
        (each.sampled_for(weighted_as), (one, other))
        for each in revisions
        if (one := each.figures[attribution]) is not None
        and (other := each.figures[preservation]) is not None
    ]


def _compared(
    of_dataset: Sequence[_RowWithRevisions], against: str, system: str
) -> list[ComparedRow]:
    reference, *_ = (
        *(each for each in of_dataset if against in {str(run.pk) for run in each.row.runs}),
        *(each for each in of_dataset if each.row.run.system == system),
        of_dataset[0],
    )
    unrevised = reference.unrevised()
    if against == UNREVISED:
        rows = [replace(unrevised.row, is_reference=True)]
    else:
        # Without p: it is no system, so Holm's adjustment must not count it.
        leads = {key: lead._replace(p=None) for key, lead in _leads(unrevised, reference).items()}
        rows = [replace(unrevised.row, leads=leads)]
    best = {key: _best(of_dataset, key) for key in BEST}
    for position, each in enumerate(of_dataset):
        row = replace(
            each.row, best=frozenset(key for key, leaders in best.items() if position in leaders)
        )
        if against == UNREVISED:
            row = replace(row, leads=_leads(each, each.unrevised()))
        elif each is reference:
            row = replace(row, is_reference=True)
        else:
            row = replace(row, leads=_leads(each, reference))
        rows.append(row)
    return rows


def _leads(one: _RowWithRevisions, other: _RowWithRevisions) -> dict[str, Lead]:
    return {key: _lead(one, other, key) for key in F1}


def _lead(one: _RowWithRevisions, other: _RowWithRevisions, key: str) -> Lead:
    if key in F1:
        pairs, other_pairs = _pairs(one.revisions, key), _pairs(other.revisions, key)
        return _estimate_lead(pairs, other_pairs, f1_ap_contributions)
    values, other_values = _values(one.revisions, key), _values(other.revisions, key)
    return _estimate_lead(values, other_values, lambda means, weights: means)


def _best(rows: Sequence[_RowWithRevisions], key: str) -> frozenset[int]:
    """Find the indexes of the rows with the best figure."""

    def lead(one: int, other: int) -> Estimate | None:
        return _lead(rows[one], rows[other], key).estimate

    known = {
        position: figure.value
        for position, each in enumerate(rows)
        if (figure := each.row.figures[key]) is not None
    }
    return leading(known, lead)


Value = TypeVar("Value")
SampledValues = Sequence[tuple[SampledRevision, Value]]
"""A value of each revision of one row of the table."""
Contribute = Callable[[Sequence[Value], Sequence[float] | None], Sequence[float]]
"""From revisions' values and weights to contributions, whose weighted mean is the figure."""


def _estimate_lead(
    one: SampledValues[Value], other: SampledValues[Value], contribute: Contribute[Value]
) -> Lead:
    """Estimate the figure of `one` less that of `other`, of common passages."""
    passages = {each.passage for each, _ in one} & {each.passage for each, _ in other}
    one, other = (
        sorted((row for row in rows if row[0].passage in passages), key=lambda row: row[0].passage)
        for rows in (one, other)
    )
    if not one:
        return NO_LEAD
    if any(is_clustered(design_of(each for each, _ in rows)) for rows in (one, other)):
        weights = None
        differences = _cluster_differences(one, other, contribute)
    else:
        # Samples of runs over one dataset overlap as far as they can, so the inclusion probability
        # of both is the lower one.
        both = [max(a.weight, b.weight) for (a, _), (b, _) in zip(one, other, strict=True)]
        weights = both if len(set(both)) > 1 else None
        of_one, of_other = (
            contribute([each for _, each in rows], weights) for rows in (one, other)
        )
        differences = [a - b for a, b in zip(of_one, of_other, strict=True)]
    estimate = ratio_estimate(differences, weights=weights, lowest=-1, highest=1)
    return Lead(estimate, paired_p(differences, weights))


def _cluster_differences(
    one: SampledValues[Value], other: SampledValues[Value], contribute: Contribute[Value]
) -> list[float]:
    """Return a number for each cluster; both arguments have the same clusters.

    Their mean is the difference of the figures; their variance over n estimates its variance.
    """
    (a, errors_of_a), (b, errors_of_b) = (_linearised(rows, contribute) for rows in (one, other))
    return [a - b + errors_of_a[key] - errors_of_b[key] for key in errors_of_a]


def _linearised(
    rows: SampledValues[Value], contribute: Contribute[Value]
) -> tuple[float, dict[Hashable, float]]:
    """Return the figure, and n times the part of each of n clusters in its linearised error."""
    design = design_of(each for each, _ in rows)
    weights, clusters = design["weights"], design["clusters"]
    values = [value for _, value in rows]
    contributions = contribute(values, weights if is_weighted(design) else None)
    total = sum(weights)
    figure = sum(w * each for w, each in zip(weights, contributions, strict=True)) / total
    n = len(set(clusters))
    errors: dict[Hashable, float] = defaultdict(float)
    for cluster, weight, each in zip(clusters, weights, contributions, strict=True):
        errors[cluster] += n * weight * (each - figure) / total
    return figure, errors
