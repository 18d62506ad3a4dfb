"""Reliability of a campaign's raters, and a report on each (docs/reliability.md)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from annotation.items.rater_demand import compares_raters, first_wanted, most_wanted
from annotation.items.run_groups import Group, groups_of
from annotation.models import Assignment, Campaign
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion
from annotation.results.tallies import (
    PairTable,
    Pattern,
    PatternCounts,
    count_by_rater,
    count_pairs,
    count_patterns,
)
from pipeline.metrics.inference import Estimate, median_estimate, ratio_estimate

if TYPE_CHECKING:
    from pipeline.metrics.reliability import Reliability, ReliabilityReport

MAX_PAIRS = 30
"""Pairs of raters per criterion: fifty raters have 1,225 pairs, most with few common targets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReliability:
    """The figures of one criterion: of all answers, of one side or of some runs."""

    side: str
    """Empty if not of one side."""
    report: ReliabilityReport
    runs: Group | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPair:
    """Cohen's kappa of two raters, by their ids."""

    one: int
    other: int
    kappa: Reliability


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionReliability:
    criterion: Criterion
    groups: tuple[GroupReliability, ...]
    """First of all answers, then of each side, system and dataset, if several."""
    pairs: tuple[RaterPair, ...]
    """At most `MAX_PAIRS`, most common targets first."""
    other_pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignReliability:
    """Figures of valid answers."""

    missing: str
    """Why there are no figures; empty if there are."""
    criteria: tuple[CriterionReliability, ...] = ()


def campaign_reliability(campaign: Campaign, phase: str = "") -> CampaignReliability:
    """Compute the figures of one phase, or of all if it is empty. At most four queries."""
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
    patterns: dict[str, list[PatternCounts]] = defaultdict(list)
    for each in count_patterns(campaign, criteria, phase=phase, by_run=bool(groups)):
        patterns[each.criterion].append(each)
    counted = [pattern for each in chain(*patterns.values()) for _, pattern in each.patterns]
    if not any(sum(pattern) > 1 for pattern in counted):
        missing = _why_missing(campaign, phase) if counted else "Nothing is submitted yet."
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


def _why_missing(campaign: Campaign, phase: str) -> str:
    wanted = first_wanted(campaign, phase)
    return (
        "No item has been submitted by two raters yet: figures come as soon as one is. "
        f"Each is to get {wanted}{' or more' if most_wanted(campaign, phase) > wanted else ''}."
    )


def _of_criterion(
    criterion: Criterion,
    counted: Sequence[PatternCounts],
    run_groups: Sequence[Group],
    pairs_of: Mapping[str, Mapping[tuple[int, int], PairTable]],
    judged: Mapping[tuple[str, int], int],
) -> CriterionReliability:
    from pipeline.metrics.reliability import cohen_kappa_of_table

    size = len(criterion.levels)
    groups = [GroupReliability(side="", report=_report(counted, size))]
    sides = sorted({each.side for each in counted}, reverse=True)
    for side in sides if len(sides) > 1 else ():
        of_side = [each for each in counted if each.side == side]
        groups.append(GroupReliability(side=side, report=_report(of_side, size)))
    for runs in run_groups:
        of_runs = [each for each in counted if each.run in runs.runs]
        groups.append(GroupReliability(side="", runs=runs, report=_report(of_runs, size)))
    pairs = sorted(
        pairs_of.get(criterion.name, {}).items(),
        key=lambda pair: (-pair[1].total(), pair[0]),
    )
    return CriterionReliability(
        criterion=criterion,
        groups=tuple(groups),
        pairs=tuple(
            RaterPair(
                one=one,
                other=other,
                kappa=cohen_kappa_of_table(
                    table,
                    categories=size,
                    dropped=judged[criterion.name, one]
                    + judged[criterion.name, other]
                    - 2 * table.total(),
                ),
            )
            for (one, other), table in pairs[:MAX_PAIRS]
        ),
        other_pairs=max(0, len(pairs) - MAX_PAIRS),
    )


def _report(counted: Sequence[PatternCounts], categories: int) -> ReliabilityReport:
    from pipeline.metrics.reliability import reliability_of_patterns

    patterns: Counter[tuple[int, Pattern]] = Counter()
    for each in counted:
        patterns.update(each.patterns)
    return reliability_of_patterns(patterns, categories=categories)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterReport:
    """One rater's work; for researchers only."""

    rater: int
    submitted: int
    late: int
    """Submissions after the slot went to another rater."""
    seconds: Estimate | None
    """The median time from claim to submission, breaks included."""
    active: Estimate | None
    """Median seconds of an item with the page visible and input in the last 30 s."""
    clicks: Estimate | None
    """Median of an item, as `keys`; these and `active` are None if no item was timed."""
    keys: Estimate | None
    edited: int
    """Submissions that were changed later."""
    agreement: Estimate | None
    """The share of other raters' answers about the same targets that equal this rater's.

    Of the counted criterion; `n` is passages.
    """
    gold: Estimate | None = None
    """The share of right answers about gold targets; set by the page, not by `rater_reports`."""


def rater_reports(campaign: Campaign) -> dict[int, RaterReport]:
    """Report on every rater with a submission, by id. Two queries."""
    work: dict[int, list[Any]] = defaultdict(list)
    submitted = Assignment.objects.submitted().filter(item__campaign=campaign, purpose="")
    columns = ("rater_id", "claimed_at", "submitted_at", "is_late", "edited_at")
    timed = ("active_ms", "clicks", "keys")
    for row in submitted.order_by().values_list(*columns, *timed, named=True).iterator():
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
    return median_estimate([measure(each) for each in done if each.active_ms])


def _agreement_with_others(campaign: Campaign) -> dict[int, Estimate | None]:
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
    shares = {}
    for rater, of_rater in rows.items():
        equal, compared, passages = zip(*of_rater, strict=True)
        shares[rater] = ratio_estimate(equal, compared, clusters=passages, lowest=0, highest=1)
    return shares
