"""Answers counted by the database, as loading every judgment would be slow."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, F, Q, QuerySet, Value

from annotation.models import Campaign, Judgment
from annotation.models.judgments import OTHER_ASSIGNMENTS, JudgmentQuerySet
from annotation.questionnaires.types import Criterion

Pattern = tuple[int, ...]
"""How many raters chose each level about one target, in the order of `Criterion.levels`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternCounts:
    """Patterns of one criterion's targets in items with the same `origins`."""

    criterion: str
    origins: frozenset[tuple[str, int]]
    """Side and run of the item, and of those that share its answers."""
    patterns: Mapping[tuple[int, Pattern], int]
    """(passage, pattern) to the number of targets."""


def valid_answers(
    campaign: Campaign, criteria: Sequence[Criterion], *, phase: str = ""
) -> JudgmentQuerySet:
    answers = Judgment.objects.valid().in_campaign(campaign, phase=phase)
    return answers.filter(criterion__in=[criterion.name for criterion in criteria]).order_by()


def count_patterns(
    campaign: Campaign, criteria: Sequence[Criterion], *, phase: str = ""
) -> list[PatternCounts]:
    """Count the patterns by criterion, sides and runs. One query, two if items share answers."""
    values = _level_values(criteria)
    columns = ", ".join(["criterion", "side", "run", "shared", "passage", *map(_column, values)])
    sharing: dict[int, set[tuple[str, int]]] = defaultdict(set)
    if campaign.shared_count:
        items = campaign.items.exclude(shared_with=None).order_by()
        for shared, side, run in items.values_list("shared_with", "side", "revision__run"):
            sharing[shared or 0].add((side, run))  # never None: excluded
    judgments = valid_answers(campaign, criteria, phase=phase).annotate(
        run=F("assignment__item__revision__run"),
        passage=F("assignment__item__passage"),
        shared=F("assignment__item") if sharing else Value(0),
    )
    targets, parameters = _sql_by_target(judgments, values, "run", "shared", "passage")
    rows = _fetch(
        # Only column names of this module are formatted in.
        f"SELECT {columns}, COUNT(*) FROM ({targets}) AS targets GROUP BY {columns}",  # noqa: S608
        parameters,
    )
    levels = {
        criterion.name: [values.index(level.value) for level in criterion.levels]
        for criterion in criteria
    }
    groups: dict[tuple[str, frozenset[tuple[str, int]]], Counter[tuple[int, Pattern]]]
    groups = defaultdict(Counter)
    for name, side, run, shared, passage, *counts, times in rows:
        pattern = tuple(counts[index] for index in levels[name])
        origins = frozenset({(side, run), *sharing.get(shared, ())})
        groups[name, origins][passage, pattern] += times
    return [
        PatternCounts(criterion=name, origins=origins, patterns=patterns)
        for (name, origins), patterns in sorted(groups.items(), key=lambda each: sorted(each[0][1]))
    ]


PairTable = Counter[tuple[int, tuple[int, int]]]
"""(passage, pair of levels' indexes) to the number of targets."""


def count_pairs(
    campaign: Campaign, criteria: Sequence[Criterion], *, phase: str = ""
) -> dict[str, dict[tuple[int, int], PairTable]]:
    """Count pairs of answers by criterion and pair of raters (lower id first). One query."""
    rows = (
        valid_answers(campaign, criteria, phase=phase)
        .paired_with_other_raters(rater__gt=F("assignment__rater"))
        .values_list(
            "criterion",
            "assignment__rater",
            f"{OTHER_ASSIGNMENTS}__rater",
            "assignment__item__passage",
            "value",
            f"{OTHER_ASSIGNMENTS}__judgments__value",
        )
        .annotate(times=Count("pk"))
    )
    named = {criterion.name: criterion for criterion in criteria}
    pairs: dict[str, dict[tuple[int, int], PairTable]] = {}
    for name, one, other, passage, value, others_value, times in rows:
        criterion = named[name]
        levels = (criterion.category(value), criterion.category(others_value))
        pairs.setdefault(name, {}).setdefault((one, other), Counter())[passage, levels] += times
    return pairs


def count_by_rater(
    campaign: Campaign, criteria: Sequence[Criterion], *, phase: str = ""
) -> dict[tuple[str, int], int]:
    """Count the judged targets by (criterion, rater). One query."""
    answers = valid_answers(campaign, criteria, phase=phase)
    rows = answers.values_list("criterion", "assignment__rater").annotate(Count("pk"))
    return {(name, rater): n for name, rater, n in rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemDisagreement:
    item: int
    differing_pairs: int
    """Pairs of different answers about the same target, over all targets of the item."""
    pairs: int
    """Pairs of answers about the same target, over all targets of the item."""
    differing_targets: int
    """Targets with different answers."""

    @property
    def share(self) -> float:
        """Above 0.0, at most 1.0."""
        return self.differing_pairs / self.pairs


def rank_disagreements(
    campaign: Campaign, criteria: Sequence[Criterion], *, offset: int = 0, limit: int = 25
) -> tuple[list[ItemDisagreement], int]:
    """List a page of the items whose raters differ, and count all of them. One query.

    Ordered by descending share, then by position.
    """
    values = _level_values(criteria)
    targets, parameters = _sql_by_target(valid_answers(campaign, criteria), values)
    # SQL counts ordered pairs of the n answers to a target, those of an answer with itself too:
    # n * n, of which `equal` are equal. Of two answers there are two ordered pairs.
    equal = " + ".join(f"{_column(value)} * {_column(value)}" for value in values)
    rows = _fetch(
        "SELECT item, SUM(n * n - equal), SUM(n * (n - 1)), "  # noqa: S608
        "SUM(CASE WHEN n * n > equal THEN 1 ELSE 0 END), COUNT(*) OVER () "
        f"FROM (SELECT item, position, n, {equal} AS equal FROM ({targets}) AS targets) AS paired "
        "GROUP BY item, position HAVING SUM(n * n - equal) > 0 "
        "ORDER BY 1.0 * SUM(n * n - equal) / SUM(n * (n - 1)) DESC, position LIMIT %s OFFSET %s",
        [*parameters, limit, offset],
    )
    disagreements = [
        ItemDisagreement(
            item=item,
            differing_pairs=int(unequal) // 2,
            pairs=int(pairs) // 2,
            differing_targets=int(differing_targets),
        )
        for item, unequal, pairs, differing_targets, _ in rows
    ]
    return disagreements, int(rows[0][-1]) if rows else 0


def _sql_by_target(
    judgments: QuerySet[Judgment], values: Sequence[int], *more: str
) -> tuple[str, Sequence[Any]]:
    """Return SQL and parameters that select a row for each target.

    Columns: criterion, side, item, position, target, `more`, the number `n` of answers, and the
    number of answers with each of `values` (`_column`).
    """
    rows = (
        judgments.annotate(
            side=F("assignment__item__side"),
            item=F("assignment__item"),
            position=F("assignment__item__position"),
        )
        .values("criterion", "side", "item", "position", "target", *more)
        .annotate(
            n=Count("pk"),
            **{_column(value): Count("pk", filter=Q(value=value)) for value in values},
        )
    )
    sql, parameters = rows.query.sql_with_params()
    return sql, parameters


def _level_values(criteria: Sequence[Criterion]) -> list[int]:
    return sorted({level.value for criterion in criteria for level in criterion.levels})


def _column(value: int) -> str:
    return f"n_{value}" if value >= 0 else f"n_minus_{-value}"


def _fetch(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
