"""Reliability between a campaign's raters, and each rater's own report.

Judgments are counted in the database (`annotation.results.tallies`), figures come from
`pipeline.metrics.reliability`. What they mean stands in docs/reliability.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotation.items.rater_demand import compares_raters, first_wanted, most_wanted
from annotation.items.run_groups import Group as Runs
from annotation.items.run_groups import groups_of
from annotation.models import Assignment, Campaign
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion
from annotation.results.tallies import (
    Counted,
    PairTable,
    Pattern,
    count_by_rater,
    count_pairs,
    count_patterns,
)
from pipeline.metrics.inference import Estimate, median_estimate, ratio_estimate

if TYPE_CHECKING:
    from pipeline.metrics.reliability import Reliability, ReliabilityReport

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


def campaign_reliability(campaign: Campaign, phase: str = "") -> CampaignReliability:
    """Every figure of one phase, or of all phases if it is empty. At most four queries."""
    if not compares_raters(campaign, phase):
        where = f"{phase} of this campaign" if phase and campaign.pilot_size else "this campaign"
        return CampaignReliability(
            missing=f"Two raters an item are needed: {where} asks one. "
            "Start one with two raters per item or more to measure reliability."
        )
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
        for _, pattern in each.patterns
    )
    if not shared:
        missing = _what_is_missing(campaign, phase, something=bool(patterns))
        return CampaignReliability(missing=missing)
    pairs = count_pairs(campaign, criteria, phase=phase)
    judged = count_by_rater(campaign, criteria, phase=phase)
    return CampaignReliability(
        missing="",
        criteria=tuple(
            _of_criterion(criterion, patterns[criterion.name], groups, pairs, judged)
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
    pairs_of: Mapping[str, Mapping[tuple[int, int], PairTable]],
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
        pairs_of.get(criterion.name, {}).items(),
        key=lambda pair: (-sum(pair[1].values()), pair[0]),
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

    together: dict[tuple[int, Pattern], int] = defaultdict(int)
    for each in counted:
        for key, times in each.patterns.items():
            together[key] += times
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
    campaign counts; `n` counts passages."""
    gold: Estimate | None = None
    """The share of the rater's answers about gold targets that are right."""


def rater_reports(campaign: Campaign) -> dict[int, RaterReport]:
    """Rater id to report, for everybody who has handed in something. Two queries."""
    work: dict[int, list[Any]] = defaultdict(list)
    submitted = Assignment.objects.submitted().filter(item__campaign=campaign, purpose="")
    for row in submitted.order_by().values_list(
        "rater_id", "claimed_at", "submitted_at", "is_late", "edited_at", "active_ms", "clicks",
        "keys", named=True,
    ).iterator():  # fmt: skip
        work[row.rater_id].append(row)
    agreement = _agreement_with_others(campaign)
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
            agreement=agreement.get(rater),
        )
        for rater, done in work.items()
    }


def _median_of(done: Sequence[Any], measure: Callable[[Any], float]) -> Estimate | None:
    """The median over the submissions that were timed."""
    return median_estimate([measure(each) for each in done if each.active_ms])


def _agreement_with_others(campaign: Campaign) -> dict[int, Estimate | None]:
    """Rater to the share of equal pairs of answers with others, over passages."""
    questionnaire = questionnaire_of(campaign)
    comparable = questionnaire.comparable_criteria()
    counted = [each for each in comparable if each.name == questionnaire.counted]
    if not compares_raters(campaign) or not counted:
        return {}
    rows: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for pairs in count_pairs(campaign, counted).values():
        for raters, table in pairs.items():
            for (passage, (one, other)), times in table.items():
                for rater in raters:
                    rows[rater].append((times * (one == other), times, passage))
    return {
        rater: ratio_estimate(same, times, clusters=passages, lowest=0, highest=1)
        for rater, of_rater in rows.items()
        for same, times, passages in [zip(*of_rater, strict=True)]
    }
