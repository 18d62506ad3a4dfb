"""Attr_AIS of each run from raters' answers about a sample and auto-AIS of all passages."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Avg, Count, F
from django.db.models.expressions import Combinable

from annotation.items.run_groups import links_of, name_of
from annotation.items.selection import judgeable
from annotation.models import Campaign, CampaignRun
from annotation.questionnaires.material import AFTER, BEFORE
from annotation.results.samples import SampledRevision

if TYPE_CHECKING:
    from pipeline.metrics.prediction_powered import PredictionPowered

MIN_JUDGED = 30
"""Minimum judged passages of a run; with 20, intervals can be too narrow (docs/statistics.md)."""
HALF_WIDTH = 0.03
"""The ± for which pages show how many passages must be judged."""

CHANGE = "change"
_BEFORE, _AFTER = F("attribution_before"), F("attribution_after")
_SQL_SCORES: dict[str, Combinable] = {BEFORE: _BEFORE, AFTER: _AFTER, CHANGE: _AFTER - _BEFORE}

Scores = Mapping[str, Mapping[int, float]]
"""[side][revision]: attribution by raters or by auto-AIS."""
PopulationMeans = Mapping[tuple[int, str], tuple[int, float]]
"""(run, side) to the number of judgeable passages with an auto-AIS score, and their mean score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredFigure:
    """Attr_AIS of a run's side, or its change: by raters with auto-AIS, and by raters alone."""

    run: str
    """Its name; empty if the campaign has one run."""
    side: str
    """`BEFORE`, `AFTER` or `CHANGE`."""
    estimates: PredictionPowered | None
    why_missing: str = ""
    """A sentence on why there are no `estimates`."""

    @property
    def needed(self) -> int | None:
        """Judged passages for ± `HALF_WIDTH`, with auto-AIS."""
        return self.estimates.labels_needed(HALF_WIDTH) if self.estimates else None

    @property
    def needed_alone(self) -> int | None:
        """Judged passages for ± `HALF_WIDTH`, without auto-AIS."""
        return self.estimates.labels_needed(HALF_WIDTH, alone=True) if self.estimates else None


def powered_figures(
    campaign: Campaign, human: Scores, auto: Scores, sample: Mapping[int, SampledRevision]
) -> tuple[PoweredFigure, ...]:
    """Estimate each run and side of which raters judged a part and auto-AIS scored all.

    `human` and `auto` are of sampled revisions. One query, none while too few are judged.
    """
    from pipeline.metrics.prediction_powered import prediction_powered_mean

    human, auto = _with_change(human), _with_change(auto)
    links = links_of(campaign)
    judged: dict[tuple[CampaignRun, str], list[int]] = {}
    for link in links:
        for side in _SQL_SCORES:
            revisions = [each for each in sorted(human[side]) if sample[each].run == link.run_id]
            is_scored = any(each in auto[side] for each in revisions)
            # Where raters judged all passages, scores add nothing.
            if is_scored and len(revisions) != link.judgeable_count:
                judged[link, side] = revisions
    means: PopulationMeans = {}
    if any(len(revisions) >= MIN_JUDGED for revisions in judged.values()):
        # If no weight is above 1, every judgeable passage is in the campaign.
        is_sampled = any(each.weight > 1 for each in sample.values())
        means = _read_means(campaign) if is_sampled else _means_of_sample(auto, sample)
    figures = []
    for (link, side), revisions in judged.items():
        passages, mean = means.get((link.run_id, side), (0, 0.0))
        why = _why_missing(link, revisions, auto[side], passages)
        estimates = None
        if not why:
            estimates = prediction_powered_mean(
                [human[side][each] for each in revisions],
                [auto[side][each] for each in revisions],
                [sample[each].weight for each in revisions],
                mean_score=mean,
                passages=passages,
                lowest=-1 if side == CHANGE else 0,
                highest=1,
            )
        run = name_of(link) if len(links) > 1 else ""
        figures.append(PoweredFigure(run=run, side=side, estimates=estimates, why_missing=why))
    return tuple(figures)


def _with_change(scores: Scores) -> Scores:
    before, after = scores.get(BEFORE, {}), scores.get(AFTER, {})
    change = {each: after[each] - before[each] for each in before.keys() & after}
    return {BEFORE: before, AFTER: after, CHANGE: change}


def _means_of_sample(auto: Scores, sample: Mapping[int, SampledRevision]) -> PopulationMeans:
    groups: dict[tuple[int, str], list[float]] = defaultdict(list)
    for side, scores in auto.items():
        for revision, score in scores.items():
            groups[sample[revision].run, side].append(score)
    return {key: (len(scores), math.fsum(scores) / len(scores)) for key, scores in groups.items()}


def _read_means(campaign: Campaign) -> PopulationMeans:
    counts = {f"n_{side}": Count(score) for side, score in _SQL_SCORES.items()}
    means = {f"mean_{side}": Avg(score) for side, score in _SQL_SCORES.items()}
    rows: Iterable[Mapping[str, Any]] = (
        judgeable(campaign).order_by().values("run").annotate(**counts, **means)
    )
    return {
        (row["run"], side): (row[f"n_{side}"], row[f"mean_{side}"])
        for row in rows
        for side in _SQL_SCORES
        if row[f"n_{side}"]
    }


def _why_missing(
    link: CampaignRun, judged: Sequence[int], scores: Mapping[int, float], passages: int
) -> str:
    if len(judged) < MIN_JUDGED:
        return f"Fewer than {MIN_JUDGED} passages are judged, so the interval could be too narrow."
    if any(revision not in scores for revision in judged):
        return "Some of the judged passages have no auto-AIS score."
    drawn_from = link.judgeable_count
    if drawn_from is None or passages < len(judged) or passages > drawn_from:
        return "The run’s passages are no longer those that the campaign sampled from."
    return ""
