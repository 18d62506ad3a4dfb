"""The joined table as the RARR paper's Table 1 lays it out: what page and files have in common.

A block for each dataset, or dataset and value of a field ("PaLM outputs on NQ"), a row for each
system, attribution before → after in one cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from annotation.results.joined import COLUMNS, Column, Row
from pipeline.metrics.inference import Estimate

SHOWN = tuple(column for column in COLUMNS if column.of != "before")
LEAD, SYSTEM = "lead", "system"
SORTS = frozenset({SYSTEM, LEAD, *(column.key for column in SHOWN)})


class Cell(NamedTuple):
    column: Column
    before: Estimate | None
    """Attribution of the passage as it was; None in other columns, and for the unrevised."""
    estimate: Estimate | None
    is_best: bool
    deviation: float | None
    """Between repeated runs."""


@dataclass(frozen=True, slots=True)
class Block:
    dataset: str
    part: str
    rows: list[Row]

    @property
    def title(self) -> str:
        return f"{self.part} · {self.dataset}" if self.part else self.dataset


def cells_of(row: Row) -> list[Cell]:
    return [
        Cell(
            column,
            None
            if row.is_unrevised
            else row.figures.get(column.key.replace("after", "before"))
            if column.of == "after"
            else None,
            row.figures[column.key],
            column.key in row.best,
            row.deviation(column.key),
        )
        for column in SHOWN
    ]


def blocks_of(rows: Sequence[Row]) -> list[Block]:
    return [
        Block(of_one[0].run.dataset.name, part, of_one)
        for (_, part), same in groupby(rows, key=_block)
        for of_one in [list(same)]
    ]


def numbers_of(row: Row) -> str:
    """Which runs a row is of.

    English, as the files are.
    """
    numbers = ", ".join(str(run.pk) for run in row.runs)
    return f"run {numbers}" if len(row.runs) == 1 else f"{len(row.runs)} runs: {numbers}"


def shown_lead(rows: Sequence[Row]) -> str:
    """The F1_AP whose differences a page shows: raters', and the models' where raters gave none."""
    human = any(
        lead.estimate for row in rows for key, lead in row.leads.items() if key != "f1_auto"
    )
    return "f1_human" if human else "f1_auto"


def sorted_rows(rows: Sequence[Row], sort: str) -> list[Row]:
    """Each block's rows by a figure, a name in `SORTS`; from the highest if `-` is in front. What
    has no figure comes last; unknown names sort nothing."""
    name, falls = sort.removeprefix("-"), sort.startswith("-")
    if name not in SORTS:
        return list(rows)
    lead = shown_lead(rows)

    def value(row: Row) -> float | None:
        if name != LEAD:
            estimate = row.figures[name]
        elif row.is_reference:
            return 0.0
        else:
            estimate = row.leads[lead].estimate if lead in row.leads else None
        return estimate.value if estimate else None

    found = []
    for _, same in groupby(rows, key=_block):
        block = list(same)
        if name == SYSTEM:
            found += sorted(block, key=lambda row: row.run.system, reverse=falls)
            continue
        known = [row for row in block if value(row) is not None]
        found += sorted(known, key=lambda row: value(row) or 0.0, reverse=falls)
        found += [row for row in block if value(row) is None]
    return found


def _block(row: Row) -> tuple[int, str]:
    return row.run.dataset_id, row.part
