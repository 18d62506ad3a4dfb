"""Reliability between a campaign's raters, and each rater's own report.

Judgments are counted in the database (`annotation.counting`), figures come from
`pipeline.metrics.reliability`. What they mean stands in docs/reliability.md.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, TypeVar

from django.core.cache import cache
from django.db.models import Count, Max, Q

from annotation.counters import compares_raters, first_wanted, most_wanted
from annotation.counting import (
    Counted,
    comparable,
    count_by_rater,
    count_pairs,
    count_patterns,
)
from annotation.keeping import KEPT_SECONDS, Kept, made_now
from annotation.models import Assignment, Campaign
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion
from annotation.strata import Group as Runs
from annotation.strata import groups_of
from pipeline.metrics.inference import Estimate, median_estimate, share_estimate
from pipeline.metrics.reliability import (
    Reliability,
    ReliabilityReport,
    cohen_kappa_of_table,
    reliability_of_patterns,
)

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
    """What there is to say of one criterion."""

    criterion: Criterion
    groups: tuple[Group, ...]
    """All sides and runs first; then each side, system and dataset where there are several."""
    pairs: tuple[Pair, ...]
    """Those with most targets in common first; at most `PAIRS_SHOWN`."""
    pairs_left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignReliability:
    """Reliability of submitted work that holds a slot; drafts and late work are not in it."""

    missing: str
    """What has to happen before there is a figure; empty where there is one."""
    criteria: tuple[CriterionReliability, ...]


def state_of_work(campaign: Campaign) -> str:
    """A mark that changes whenever a rater saves, hands in, claims or skips. One query.

    Every save renews a lease, and what takes a slot away is a new lease.
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
    """The state of the work; or, where figures took long and are still new enough to stand, the
    state that they are of. No query then."""
    slow: Kept[None] | None = cache.get(_slow_key(campaign))
    return slow.state if slow is not None and slow.stands else state_of_work(campaign)


def campaign_reliability(
    campaign: Campaign, *, state: str | None = None, phase: str = ""
) -> CampaignReliability:
    """Every figure of one phase, or of all where it is empty.

    At most four queries, kept for as long as `state_of_work` stays the same.
    """
    if not compares_raters(campaign, phase):
        where = f"{phase} of this campaign" if phase and campaign.pilot_size else "this campaign"
        return CampaignReliability(
            missing=f"Two raters an item are needed: {where} asks one. "
            "Start one with two raters per item or more to measure reliability.",
            criteria=(),
        )
    what = f"reliability.{phase or 'all'}"
    return _kept(what, campaign, state, lambda: _reliability(campaign, phase))


def _reliability(campaign: Campaign, phase: str) -> CampaignReliability:
    criteria = comparable(questionnaire_of(campaign))
    if not criteria:
        return CampaignReliability(
            missing="This questionnaire has no answers to choose from, so none can be compared.",
            criteria=(),
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
        return CampaignReliability(missing=missing, criteria=())
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
    """The share of the answers that others gave about the same targets, to the criterion that
    the campaign counts, which are the same as this rater's."""
    gold: Estimate | None = None
    """The share of the rater's answers about gold targets that are right."""


def rater_reports(campaign: Campaign, *, state: str | None = None) -> dict[int, RaterReport]:
    """Rater id to report, of everybody who has handed in something. Two queries, kept."""
    return _kept("raters", campaign, state, lambda: _rater_reports(campaign))


def _rater_reports(campaign: Campaign) -> dict[int, RaterReport]:
    work: dict[int, list[_Submission]] = defaultdict(list)
    rows = Assignment.objects.submitted().filter(item__campaign=campaign, purpose="").order_by()
    for rater, *values in rows.values_list("rater_id", *_Submission._fields).iterator():
        work[rater].append(_Submission(*values))
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


class _Submission(NamedTuple):
    claimed_at: datetime
    submitted_at: datetime
    is_late: bool
    edited_at: datetime | None
    active_ms: int
    clicks: int
    keys: int


def _median_of(
    done: Sequence[_Submission], measure: Callable[[_Submission], float]
) -> Estimate | None:
    """The median over what was timed."""
    return median_estimate([measure(each) for each in done if each.active_ms])


def _agreement_with_others(campaign: Campaign) -> tuple[dict[int, int], dict[int, int]]:
    """Rater to the pairs of answers with others that are the same, and to all of them."""
    same: dict[int, int] = defaultdict(int)
    all_pairs: dict[int, int] = defaultdict(int)
    questionnaire = questionnaire_of(campaign)
    counted = [each for each in comparable(questionnaire) if each.name == questionnaire.counted]
    if not compares_raters(campaign) or not counted:
        return same, all_pairs
    for pairs in count_pairs(campaign, counted).values():
        for raters, table in pairs.items():
            for rater in raters:
                same[rater] += sum(n for (one, other), n in table.items() if one == other)
                all_pairs[rater] += sum(table.values())
    return same, all_pairs


def _kept(what: str, campaign: Campaign, state: str | None, make: Callable[[], Made]) -> Made:
    """`make()`, or what it made while the raters' work was in the same state."""
    state = state or state_to_show(campaign)
    key = f"annotation.{what}.{campaign.pk}"
    found: Kept[Made] | None = cache.get(key)
    if found is None or found.state != state:
        found = made_now(make, state=state)
        cache.set(key, found, KEPT_SECONDS)
        if found.stands:
            cache.set(_slow_key(campaign), replace(found, value=None), KEPT_SECONDS)
    return found.value


def _slow_key(campaign: Campaign) -> str:
    return f"annotation.slow.{campaign.pk}"
