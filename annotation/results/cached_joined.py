"""The joined table as pages show it: of large runs or campaigns a cached figure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from annotation.models import Campaign
from annotation.results.cached_figures import SMALL, Figures, is_large
from annotation.results.joined import joined_rows
from annotation.results.work_states import state_of_runs
from pipeline.models import Run
from pipeline.runs.comparison import ComparedRow


def table_rows(
    campaigns: Sequence[Campaign], runs: Sequence[Run], figures: Figures, **options: Any
) -> list[ComparedRow] | None:
    """`joined_rows` of these with its options; None if they are missing."""
    compute = partial(joined_rows, campaigns, runs=runs, **options)
    size = sum(run.passage_count for run in runs)
    if size <= SMALL and not any(map(is_large, campaigns)):
        return compute()
    of_campaigns = sorted(each.pk for each in campaigns)
    of_key = {run.pk: run for run in runs}
    key = (of_campaigns, sorted(of_key), options, state_of_runs(of_campaigns, of_key))
    rows = figures.cached(lambda: [_with_runs(row, None) for row in compute()], "joined_rows", *key)
    return None if rows is None else [_with_runs(row, of_key) for row in rows]


def _with_runs(row: ComparedRow, of_key: Mapping[int, Run] | None) -> ComparedRow:
    """The row with its runs by their keys, or with keys in their place."""
    runs: Any = tuple(run.pk if of_key is None else of_key[run] for run in row.runs)  # type: ignore[index]  # a key
    return replace(row, runs=runs, repeats=tuple(_with_runs(each, of_key) for each in row.repeats))
