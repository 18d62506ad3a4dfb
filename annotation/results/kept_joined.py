"""The joined table as pages show it: of large runs as a worker counted it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.models import Campaign
from annotation.results.joined import joined_rows
from annotation.results.kept_figures import (
    LIVE_SUBMISSIONS,
    Shown,
    is_live,
    plan_figure,
    shown_figure_of_many,
)
from annotation.results.work_states import state_of_runs
from pipeline.models import Run
from pipeline.runs.comparison import ComparedRow


def shown_rows(
    campaigns: Sequence[Campaign], runs: Sequence[Run], *, against: str = ""
) -> Shown[list[ComparedRow]]:
    """`joined_rows` of these."""
    size = sum(run.passage_count for run in runs)
    if size <= LIVE_SUBMISSIONS and all(map(is_live, campaigns)):
        return Shown(value=joined_rows(campaigns, runs=runs, against=against))
    found = shown_figure_of_many(
        _JOINED,
        campaigns=sorted(each.pk for each in campaigns),
        runs=sorted(run.pk for run in runs),
        against=against,
    )
    if found.value is None:
        return found
    of_key = {run.pk: run for run in runs}
    return replace(found, value=[_with_runs(row, of_key) for row in found.value])


def _count(
    _campaign: None, campaigns: Sequence[int], runs: Sequence[int], against: str
) -> list[ComparedRow]:
    """The rows, with keys in place of runs."""
    rows = joined_rows(
        list(Campaign.objects.filter(pk__in=campaigns)),
        runs=list(Run.objects.filter(pk__in=runs).select_related("dataset", "corpus")),
        against=against,
    )
    return [_with_runs(row, None) for row in rows]


def _with_runs(row: ComparedRow, of_key: Mapping[int, Run] | None) -> ComparedRow:
    """The row with its runs by their keys, or with keys in their place."""
    runs: Any = tuple(run.pk if of_key is None else of_key[run] for run in row.runs)  # type: ignore[index]  # a key
    return replace(row, runs=runs, repeats=tuple(_with_runs(each, of_key) for each in row.repeats))


def _state(_campaign: None, campaigns: Sequence[int], runs: Sequence[int], **_options: Any) -> str:
    return state_of_runs(campaigns, runs)


_JOINED = plan_figure("joined", _count, work_of=_state)
