"""Which judgments count, and their answers counted target by target in the database.

A page about a hundred thousand items must not load every judgment into Python. The database
counts how many raters chose each level of each target, and returns for each passage counts of
such counts, or a table for each pair of raters; or one page of items.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, F, Q, QuerySet, Value

from annotation.models import Campaign, Judgment
from annotation.models.judgments import OTHER_ASSIGNMENTS, JudgmentQuerySet
from annotation.questionnaires.types import Criterion

Pattern = tuple[int, ...]
"""How many raters chose each of a criterion's levels about one target, least level first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The targets of one criterion, on one side of the passages, by their pattern of answers."""

    criterion: str
    side: str
    run: int
    """The run whose revisions they are; 0 where runs are counted together."""
    patterns: Mapping[tuple[int, Pattern], int]
    """The passage's key and the pattern to how many targets of the passage have it."""


def counted_answers(
    campaign: Campaign, criteria: Sequence[Criterion], *, phase: str = ""
) -> JudgmentQuerySet:
    """The answers to `criteria` that count, unordered."""
    answers = Judgment.objects.valid().in_campaign(campaign, phase=phase)
    return answers.filter(criterion__in=[criterion.name for criterion in criteria]).order_by()


def count_patterns(
    campaign: Campaign, criteria: Sequence[Criterion], *, phase: str = "", by_run: bool = False
) -> list[Counted]:
    """The patterns of every judged criterion and side, and of each run if `by_run`. One query."""
    values = _values(criteria)
    columns = ", ".join(["criterion", "side", "run", "passage", *map(_column, values)])
    run = F("assignment__item__revision__run") if by_run else Value(0)
    judgments = counted_answers(campaign, criteria, phase=phase).annotate(
        run=run, passage=F("assignment__item__passage")
    )
    targets, parameters = _targets(judgments, values, "run", "passage")
    rows = _fetch(
        # Names of columns, made here; the campaign and the levels travel as parameters.
        f"SELECT {columns}, COUNT(*) FROM ({targets}) AS counted GROUP BY {columns}",  # noqa: S608
        parameters,
    )
    places = {
        criterion.name: [values.index(level.value) for level in criterion.levels]
        for criterion in criteria
    }
    found: dict[tuple[str, str, int], dict[tuple[int, Pattern], int]] = defaultdict(dict)
    for name, side, of_run, passage, *counts, times in rows:
        pattern = tuple(counts[place] for place in places[name])
        patterns = found[name, side, of_run]
        patterns[passage, pattern] = patterns.get((passage, pattern), 0) + times
    return [
        Counted(criterion=key[0], side=key[1], run=key[2], patterns=patterns)
        for key, patterns in sorted(found.items())
    ]


PairTable = dict[tuple[int, tuple[int, int]], int]
"""A passage's key and a pair of answers about one target, as the levels' numbers in a `Pattern`, to
how many targets of the passage got it."""


def count_pairs(
    campaign: Campaign, criteria: Sequence[Criterion], *, phase: str = ""
) -> dict[str, dict[tuple[int, int], PairTable]]:
    """Criterion to pair of raters (lower id first) to their answers. One query."""
    rows = (
        counted_answers(campaign, criteria, phase=phase)
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
        cell = (criterion.category(value), criterion.category(others_value))
        table = pairs.setdefault(name, {}).setdefault((one, other), {})
        table[passage, cell] = table.get((passage, cell), 0) + times
    return pairs


def count_by_rater(
    campaign: Campaign, criteria: Sequence[Criterion], *, phase: str = ""
) -> dict[tuple[str, int], int]:
    """(criterion, rater) to how many targets the rater judged. One query."""
    answers = counted_answers(campaign, criteria, phase=phase)
    rows = answers.values_list("criterion", "assignment__rater").annotate(Count("pk"))
    return {(name, rater): n for name, rater, n in rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How far an item's raters differ."""

    item: int
    differing: int
    """Pairs of answers about one target that are not the same."""
    pairs: int
    """Pairs of answers about one target, over all of them."""
    targets: int
    """Targets about which not all say the same."""

    @property
    def share(self) -> float:
        """The share of pairs that differ, above 0 and at most 1."""
        return self.differing / self.pairs


def rank_differences(
    campaign: Campaign, criteria: Sequence[Criterion], *, offset: int = 0, limit: int = 25
) -> tuple[list[Difference], int]:
    """Items whose raters differ, those that differ most first, and how many there are. One query.

    Items with equal shares come in the order in which raters get them.
    """
    values = _values(criteria)
    targets, parameters = _targets(counted_answers(campaign, criteria), values)
    same = " + ".join(f"{_column(value)} * {_column(value)}" for value in values)
    rows = _fetch(
        "SELECT item, SUM(n * n - same), SUM(n * (n - 1)), "  # noqa: S608
        "SUM(CASE WHEN n * n > same THEN 1 ELSE 0 END), COUNT(*) OVER () "
        f"FROM (SELECT item, position, n, {same} AS same FROM ({targets}) AS counted) AS compared "
        "GROUP BY item, position HAVING SUM(n * n - same) > 0 "
        "ORDER BY 1.0 * SUM(n * n - same) / SUM(n * (n - 1)) DESC, position LIMIT %s OFFSET %s",
        [*parameters, limit, offset],
    )
    # Each pair was counted from both of its ends.
    differences = [
        Difference(
            item=item, differing=int(twice) // 2, pairs=int(pairs) // 2, targets=int(targets)
        )
        for item, twice, pairs, targets, _ in rows
    ]
    return differences, int(rows[0][-1]) if rows else 0


def _targets(
    judgments: QuerySet[Judgment], values: Sequence[int], *more: str
) -> tuple[str, Sequence[Any]]:
    """SQL and its parameters: a row for each target, with its place, the columns `more`, `n`
    answers, and how many of them have each of `values`."""
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


def _values(criteria: Sequence[Criterion]) -> list[int]:
    """Every value that a level of the criteria has."""
    return sorted({level.value for criterion in criteria for level in criterion.levels})


def _column(value: int) -> str:
    return f"said_{value}" if value >= 0 else f"said_minus_{-value}"


def _fetch(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
