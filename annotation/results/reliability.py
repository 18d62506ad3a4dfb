"""Reliability between a campaign's raters, and each rater's own report.

Judgments are counted in the database (`annotation.results.tallies`), figures come from
`pipeline.metrics.reliability`. What they mean stands in docs/reliability.md.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from django.core.cache import cache
from django.db.models import Count, Max, Q

from annotation.items.rater_demand import compares_raters, first_wanted, most_wanted
from annotation.items.run_groups import Group as Runs
from annotation.items.run_groups import groups_of
from annotation.models import Assignment, Campaign
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion
from annotation.results.cache import KEPT_SECONDS, CachedFigure, compute_figure
from annotation.results.tallies import (
    Counted,
    count_by_rater,
    count_pairs,
    count_patterns,
)
from pipeline.metrics.inference import Estimate, median_estimate, share_estimate

if TYPE_CHECKING:
    from pipeline.metrics.reliability import Reliability, ReliabilityReport

Made = TypeVar("Made")

PAIRS_SHOWN = 30
"""Pairs of raters a criterion: fifty raters are 1,225 pairs, most with little in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """All figures of one criterion on one side of the passages, or of some of the runs."""

    side: str
    """Empty for all sides together."""
    report: ReliabilityReport
    runs: Runs | None = None
    """None for all runs together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two raters, by their ids, and Cohen's kappa between them."""

    one: int
    other: int
    kappa: Reliability


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionReliability:
    """The reliability of the answers to one criterion."""

    criterion: Criterion
    groups: tuple[Group, ...]
    """First all sides and runs together; then each side, system and dataset, if several."""
    pairs: tuple[Pair, ...]
    """The `PAIRS_SHOWN` pairs with most targets in common, the most first."""
    pairs_left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignReliability:
    """Reliability of submitted work that holds a slot; drafts and late work are not in it."""

    missing: str
    """What has to happen before there is a figure; empty if there is one."""
    criteria: tuple[CriterionReliability, ...] = ()


def state_of_work(campaign: Campaign) -> str:
    """A fingerprint that changes whenever a rater saves, hands in, claims or skips. One query.

    Every save renews a lease, and a rater who takes over a slot begins a new one.
    """
    found = Assignment.objects.filter(item__campaign=campaign).aggregate(
        counted=Count("pk", filter=Q(submitted_at__isnull=False, slot__isnull=False)),
        last=Max("lease_until"),
        submitted=Max("submitted_at"),
        skipped=Count("skipped_at"),
        released=Count("released_at"),
    )
    text = ":".join(map(str, found.values()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def state_to_show(campaign: Campaign) -> str:
    """The state of the work; or, without a query, the state of figures that took long to count
    and are recent enough to show."""
    slow: CachedFigure[None] | None = cache.get(_slow_key(campaign))
    return slow.state if slow is not None and slow.stands else state_of_work(campaign)


def campaign_reliability(
    campaign: Campaign, *, state: str | None = None, phase: str = ""
) -> CampaignReliability:
    """Every figure of one phase, or of all phases if it is empty.

    At most four queries; cached for as long as `state_of_work` stays the same.
    """
    if not compares_raters(campaign, phase):
        where = f"{phase} of this campaign" if phase and campaign.pilot_size else "this campaign"
        return CampaignReliability(
            missing=f"Two raters an item are needed: {where} asks one. "
            "Start one with two raters per item or more to measure reliability."
        )
    what = f"reliability.{phase or 'all'}"
    return _cached(what, campaign, state, lambda: _reliability(campaign, phase))


def _reliability(campaign: Campaign, phase: str) -> CampaignReliability:
    criteria = questionnaire_of(campaign).comparable_criteria()
    if not criteria:
        return CampaignReliability(
            missing="This questionnaire has no answers to choose from, so none can be compared."
        )
    groups = groups_of(campaign)
    patterns: dict[str, list[Counted]] = defaultdict(list)
    for counted in count_patterns(campaign, criteria, phase=phase, by_run=bool(groups)):
        patterns[counted.criterion].append(counted)
    shared = any(
        sum(pattern) > 1
        for of_one in patterns.values()
        for each in of_one
        for pattern in each.patterns
    )
    if not shared:
        missing = _what_is_missing(campaign, phase, something=bool(patterns))
        return CampaignReliability(missing=missing)
    tables = count_pairs(campaign, criteria, phase=phase)
    judged = count_by_rater(campaign, criteria, phase=phase)
    return CampaignReliability(
        missing="",
        criteria=tuple(
            _of_criterion(criterion, patterns[criterion.name], groups, tables, judged)
            for criterion in criteria
            if patterns[criterion.name]
        ),
    )


def _what_is_missing(campaign: Campaign, phase: str, *, something: bool) -> str:
    if not something:
        return "Nothing is handed in yet."
    wanted = first_wanted(campaign, phase)
    return (
        "No item has been handed in by two raters yet: figures come as soon as one is. "
        f"Each is to get {wanted}{' or more' if most_wanted(campaign, phase) > wanted else ''}."
    )


def _of_criterion(
    criterion: Criterion,
    counted: Sequence[Counted],
    runs: Sequence[Runs],
    tables: Mapping[str, Mapping[tuple[int, int], Mapping[tuple[int, int], int]]],
    judged: Mapping[tuple[str, int], int],
) -> CriterionReliability:
    from pipeline.metrics.reliability import cohen_kappa_of_table

    size = len(criterion.levels)
    groups = [Group(side="", report=_report(counted, size))]
    sides = sorted({each.side for each in counted}, reverse=True)
    if len(sides) > 1:
        groups += [
            Group(side=side, report=_report([each for each in counted if each.side == side], size))
            for side in sides
        ]
    groups += [
        Group(
            side="",
            runs=group,
            report=_report([each for each in counted if each.run in group.runs], size),
        )
        for group in runs
    ]
    pairs = sorted(
        tables.get(criterion.name, {}).items(), key=lambda pair: (-sum(pair[1].values()), pair[0])
    )
    return CriterionReliability(
        criterion=criterion,
        groups=tuple(groups),
        pairs=tuple(
            Pair(
                one=one,
                other=other,
                kappa=cohen_kappa_of_table(
                    table,
                    categories=size,
                    dropped=judged[criterion.name, one]
                    + judged[criterion.name, other]
                    - 2 * sum(table.values()),
                ),
            )
            for (one, other), table in pairs[:PAIRS_SHOWN]
        ),
        pairs_left_out=max(0, len(pairs) - PAIRS_SHOWN),
    )


def _report(counted: Sequence[Counted], categories: int) -> ReliabilityReport:
    """The figures of all these targets together."""
    from pipeline.metrics.reliability import reliability_of_patterns

    together: dict[tuple[int, ...], int] = defaultdict(int)
    for each in counted:
        for pattern, times in each.patterns.items():
            together[pattern] += times
    return reliability_of_patterns(together, categories=categories)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterReport:
    """How one rater works; for the researcher, never for raters."""

    rater: int
    submitted: int
    late: int
    """Submissions that came in after their place had gone to somebody else."""
    seconds: Estimate | None
    """The median time from claiming an item to handing it in, breaks included."""
    active: Estimate | None
    """The median time at work on an item: the page visible, input in the last half minute. None
    where no item was timed, as in work that came in over the API."""
    clicks: Estimate | None
    keys: Estimate | None
    """The median number of each an item, of the items that were timed."""
    edited: int
    """Submissions that were changed after they had been handed in."""
    agreement: Estimate | None
    """How often others gave the same answer about the same target, to the criterion that the
    campaign counts."""
    gold: Estimate | None = None
    """The share of the rater's answers about gold targets that are right."""


def rater_reports(campaign: Campaign, *, state: str | None = None) -> dict[int, RaterReport]:
    """Rater id to report, for everybody who has handed in something. Two queries, cached."""
    return _cached("raters", campaign, state, lambda: _rater_reports(campaign))


def _rater_reports(campaign: Campaign) -> dict[int, RaterReport]:
    work: dict[int, list[Any]] = defaultdict(list)
    submitted = Assignment.objects.submitted().filter(item__campaign=campaign, purpose="")
    for row in submitted.order_by().values_list(
        "rater_id", "claimed_at", "submitted_at", "is_late", "edited_at", "active_ms", "clicks",
        "keys", named=True,
    ).iterator():  # fmt: skip
        work[row.rater_id].append(row)
    same, all_pairs = _agreement_with_others(campaign)
    return {
        rater: RaterReport(
            rater=rater,
            submitted=len(done),
            late=sum(each.is_late for each in done),
            seconds=median_estimate(
                [(each.submitted_at - each.claimed_at).total_seconds() for each in done]
            ),
            active=_median_of(done, lambda each: each.active_ms / 1000),
            clicks=_median_of(done, lambda each: each.clicks),
            keys=_median_of(done, lambda each: each.keys),
            edited=sum(each.edited_at is not None for each in done),
            agreement=share_estimate(same[rater], all_pairs[rater]),
        )
        for rater, done in work.items()
    }


def _median_of(done: Sequence[Any], measure: Callable[[Any], float]) -> Estimate | None:
    """The median over the submissions that were timed."""
    return median_estimate([measure(each) for each in done if each.active_ms])


def _agreement_with_others(campaign: Campaign) -> tuple[dict[int, int], dict[int, int]]:
    """Rater to the number of equal pairs of answers with others, and to that of all pairs."""
    same: dict[int, int] = defaultdict(int)
    all_pairs: dict[int, int] = defaultdict(int)
    questionnaire = questionnaire_of(campaign)
    comparable = questionnaire.comparable_criteria()
    counted = [each for each in comparable if each.name == questionnaire.counted]
    if not compares_raters(campaign) or not counted:
        return same, all_pairs
    for pairs in count_pairs(campaign, counted).values():
        for raters, table in pairs.items():
            for rater in raters:
                same[rater] += sum(n for (one, other), n in table.items() if one == other)
                all_pairs[rater] += sum(table.values())
    return same, all_pairs


def _cached(what: str, campaign: Campaign, state: str | None, make: Callable[[], Made]) -> Made:
    """`make()`, or the cached value of the same state of the raters' work."""
    state = state or state_to_show(campaign)
    key = f"annotation.{what}.{campaign.pk}"
    found: CachedFigure[Made] | None = cache.get(key)
    if found is None or found.state != state:
        found = compute_figure(make, state=state)
        cache.set(key, found, KEPT_SECONDS)
        if found.stands:
            slow = replace(found, value=None)  # type: ignore[arg-type]  # a CachedFigure[None]
            cache.set(_slow_key(campaign), slow, KEPT_SECONDS)
    return found.value


def _slow_key(campaign: Campaign) -> str:
    return f"annotation.slow.{campaign.pk}"
