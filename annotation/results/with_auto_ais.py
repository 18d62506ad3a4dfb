"""Attr_AIS of each run from what raters say of some of its passages and auto-AIS of all of them."""

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
from annotation.models import Campaign, CampaignRun, Item
from annotation.results.estimates import Drawn

if TYPE_CHECKING:
    from pipeline.metrics.prediction_powered import PredictionPowered

FEWEST = 30
"""Judged passages of a run: of 20 the interval can be too narrow (docs/fewer-labels.md)."""
HALF_WIDTH = 0.03
"""The ± that pages tell the needed labels for."""

_BEFORE, _AFTER = F("attribution_before"), F("attribution_after")
_SCORES: dict[str, Combinable] = {
    Item.Side.BEFORE.value: _BEFORE,
    Item.Side.AFTER.value: _AFTER,
    "change": _AFTER - _BEFORE,
}

Scores = Mapping[str, Mapping[int, float]]
"""side to revision to its Attr, by raters or by auto-AIS"""
Known = Mapping[tuple[int, str], tuple[int, float]]
"""(run, side) to the passages that auto-AIS scored of those that the campaign could have taken, and
their mean score"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredFigure:
    """Attr_AIS of one side of a run, or its change, with and without auto-AIS."""

    run: str
    """Its name; empty where the campaign has no other."""
    side: str
    """`before`, `after` or `change`."""
    found: PredictionPowered | None
    reason: str = ""
    """Why there is none, in a sentence."""

    @property
    def needed(self) -> int | None:
        """Judged passages for ± `HALF_WIDTH`, with auto-AIS."""
        return self.found.labels_needed(HALF_WIDTH) if self.found else None

    @property
    def needed_alone(self) -> int | None:
        """The same without auto-AIS."""
        return self.found.labels_needed_alone(HALF_WIDTH) if self.found else None


def powered_figures(
    campaign: Campaign, said: Scores, auto: Scores, drawn: Mapping[int, Drawn]
) -> tuple[PoweredFigure, ...]:
    """A figure for each run and side of which raters judged a part and auto-AIS scored all.

    `said` and `auto` are of the campaign's own revisions. Where they are a sample, auto-AIS of the
    others is read here, by one query, as soon as enough are judged.
    """
    from pipeline.metrics.prediction_powered import prediction_powered_mean

    said, auto = _with_change(said), _with_change(auto)
    links = links_of(campaign)
    judged = {
        (link, side): own
        for link in links
        for side in _SCORES
        if (own := [key for key in sorted(said.get(side, {})) if drawn[key].run == link.run_id])
        and any(key in auto.get(side, {}) for key in own)
        and len(own) != link.judgeable_count
    }
    known: Known = {}
    if any(len(own) >= FEWEST for own in judged.values()):
        is_sample = any(each.weight > 1 for each in drawn.values())
        known = _read_known(campaign) if is_sample else _known(auto, drawn)
    figures = []
    for (link, side), own in judged.items():
        labels, scores = said[side], auto[side]
        passages, mean = known.get((link.run_id, side), (0, 0.0))
        reason = _reason(link, own, scores, passages)
        found = None
        if not reason:
            found = prediction_powered_mean(
                [labels[key] for key in own],
                [scores[key] for key in own],
                [drawn[key].weight for key in own],
                mean_score=mean,
                passages=passages,
                lowest=-1 if side == "change" else 0,
                highest=1,
            )
        run = name_of(link) if len(links) > 1 else ""
        figures.append(PoweredFigure(run=run, side=side, found=found, reason=reason))
    return tuple(figures)


def _with_change(scores: Scores) -> Scores:
    """The sides, and after minus before of what has both."""
    before, after = (scores.get(side.value, {}) for side in (Item.Side.BEFORE, Item.Side.AFTER))
    both = before.keys() & after.keys()
    return {**scores, "change": {key: after[key] - before[key] for key in both}}


def _known(auto: Scores, drawn: Mapping[int, Drawn]) -> Known:
    found: dict[tuple[int, str], list[float]] = defaultdict(list)
    for side, scores in auto.items():
        for revision, score in scores.items():
            found[drawn[revision].run, side].append(score)
    return {key: (len(scores), math.fsum(scores) / len(scores)) for key, scores in found.items()}


def _read_known(campaign: Campaign) -> Known:
    counts = {f"n_{side}": Count(score) for side, score in _SCORES.items()}
    means = {f"mean_{side}": Avg(score) for side, score in _SCORES.items()}
    rows: Iterable[Mapping[str, Any]] = (
        judgeable(campaign).order_by().values("run").annotate(**counts, **means)
    )
    return {
        (row["run"], side): (row[f"n_{side}"], row[f"mean_{side}"])
        for row in rows
        for side in _SCORES
        if row[f"n_{side}"]
    }


def _reason(
    link: CampaignRun, judged: Sequence[int], scores: Mapping[int, float], passages: int
) -> str:
    """Why there is no figure; empty where there is one."""
    if len(judged) < FEWEST:
        return f"From {FEWEST} judged passages on: with fewer, its interval can be too narrow."
    if any(revision not in scores for revision in judged):
        return "Some of the judged passages have no auto-AIS score."
    if link.judgeable_count is None or not len(judged) <= passages <= link.judgeable_count:
        return "The run’s passages are no longer those that the campaign drew from."
    return ""
