"""Reliability of a campaign's raters, and a report on each (docs/statistics.md)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    """First of all answers, then of each side, system, dataset or run, if several (`groups_of`)."""
    pairs: tuple[RaterPair, ...]
    """At most `MAX_PAIRS`, most common targets first."""
    omitted_pairs: int

    def alpha(self, report: ReliabilityReport) -> Reliability:
        return report.alpha_ordinal if self.criterion.is_ordinal else report.alpha_nominal


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignReliability:
    """Figures of valid answers."""

    why_missing: str
    """Why there are no figures; empty if there are."""
    criteria: tuple[CriterionReliability, ...] = ()


def campaign_reliability(campaign: Campaign, phase: str = "") -> CampaignReliability:
    """Compute the figures of one phase, or of all if it is empty. At most four queries."""
    if not compares_raters(campaign, phase):
        where = f"{phase} of this campaign" if phase and campaign.pilot_size else "this campaign"
        return CampaignReliability(
            why_missing=f"Two raters an item are needed: {where} asks one. "
            "Start one with two raters per item or more to measure reliability."
        )
    criteria = questionnaire_of(campaign).comparable_criteria()
    if not criteria:
        return CampaignReliability(
            why_missing="This questionnaire has no answers to choose from, so none can be compared."
        )
    groups = groups_of(campaign)
    counts = count_patterns(campaign, criteria, phase=phase)
    rater_counts = [sum(pattern) for each in counts for _, pattern in each.patterns]
    if max(rater_counts, default=0) < 2:
        why_missing = _why_missing(campaign, phase) if counts else "Nothing is submitted yet."
        return CampaignReliability(why_missing=why_missing)
    by_criterion: dict[str, list[PatternCounts]] = defaultdict(list)
    for each in counts:
        by_criterion[each.criterion].append(each)
    pairs = count_pairs(campaign, criteria, phase=phase)
    judged = count_by_rater(campaign, criteria, phase=phase)
    return CampaignReliability(
        why_missing="",
        criteria=tuple(
            _criterion_reliability(criterion, by_criterion[criterion.name], groups, pairs, judged)
            for criterion in criteria
            if by_criterion[criterion.name]
        ),
    )


def _why_missing(campaign: Campaign, phase: str) -> str:
    wanted = first_wanted(campaign, phase)
    return (
        "No item has been submitted by two raters yet: figures come as soon as one is. "
        f"Each is to get {wanted}{' or more' if most_wanted(campaign, phase) > wanted else ''}."
    )


def _criterion_reliability(
    criterion: Criterion,
    counts: Sequence[PatternCounts],
    run_groups: Sequence[Group],
    pairs_by_criterion: Mapping[str, Mapping[tuple[int, int], PairTable]],
    judged: Mapping[tuple[str, int], int],
) -> CriterionReliability:
    from pipeline.metrics.reliability import cohen_kappa_of_table

    size = len(criterion.levels)
    groups = [GroupReliability(side="", report=_report(counts, size))]
    sides = sorted({side for each in counts for side, _ in each.origins}, reverse=True)
    for side in sides if len(sides) > 1 else ():
        of_side = [each for each in counts if side in dict(each.origins)]
        groups.append(GroupReliability(side=side, report=_report(of_side, size)))
    for runs in run_groups:
        of_runs = [each for each in counts if any(run in runs.runs for _, run in each.origins)]
        groups.append(GroupReliability(side="", runs=runs, report=_report(of_runs, size)))
    pairs = sorted(
        pairs_by_criterion.get(criterion.name, {}).items(),
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
        omitted_pairs=max(0, len(pairs) - MAX_PAIRS),
    )


def _report(counts: Sequence[PatternCounts], categories: int) -> ReliabilityReport:
    from pipeline.metrics.reliability import reliability_of_patterns

    patterns: Counter[tuple[int, Pattern]] = Counter()
    for each in counts:
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
    """Median per item; None, as `active` and `keys`, if no item was timed."""
    keys: Estimate | None
    edited: int
    """Submissions that were changed later."""
    agreement: Estimate | None
    """The share of other raters' answers about the same targets that equal this rater's.

    Of the result criterion; `n` is passages.
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
            seconds=median_estimate(_seconds(done)),
            active=_median_of(done, lambda each: each.active_ms / 1000),
            clicks=_median_of(done, lambda each: each.clicks),
            keys=_median_of(done, lambda each: each.keys),
            edited=sum(each.edited_at is not None for each in done),
            agreement=agreement.get(rater),
        )
        for rater, done in work.items()
    }


def _seconds(done: Sequence[Any]) -> list[float]:
    """Return the seconds from claiming to submitting; imported work took none."""
    times = ((each.submitted_at - each.claimed_at).total_seconds() for each in done)
    return list(filter(None, times))


def _median_of(done: Sequence[Any], measure: Callable[[Any], float]) -> Estimate | None:
    return median_estimate([measure(each) for each in done if each.active_ms])


def _agreement_with_others(campaign: Campaign) -> dict[int, Estimate | None]:
    questionnaire = questionnaire_of(campaign)
    comparable = questionnaire.comparable_criteria()
    criteria = [each for each in comparable if each.name == questionnaire.result_criterion]
    if not compares_raters(campaign) or not criteria:
        return {}
    rows: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for pairs in count_pairs(campaign, criteria).values():
        for raters, table in pairs.items():
            for (passage, (one, other)), times in table.items():
                for rater in raters:
                    rows[rater].append((times * (one == other), times, passage))
    agreement = {}
    for rater, of_rater in rows.items():
        equal, compared, passages = zip(*of_rater, strict=True)
        agreement[rater] = ratio_estimate(equal, compared, clusters=passages, lowest=0, highest=1)
    return agreement
