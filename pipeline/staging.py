"""Between a file and the tables: all rows are checked, the good ones set aside, the bad told.

A check reads the whole file once. What can be imported is written to a file of staged rows,
so that the import writes exactly what was checked, whatever becomes of the original.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pipeline.importing.rows import RowError
from pipeline.rarr.types import RarrError

T = TypeVar("T")

BATCH = 500
BATCH_CHARACTERS = 8_000_000
"""A batch of rows never grows beyond this much text and one row more."""
SHOWN_ERRORS = 20

Row = dict[str, Any]
"""A staged row: JSON-able, with `key` (its external id) and `hash` (of its content)."""
Progress = Callable[[int], None]
"""Told how many rows are done so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What an import would do: rows that are new, the same, changed, or wrong."""

    new: int
    same: int
    changed: int
    wrong: int
    errors: tuple[RowError, ...]
    """The first `SHOWN_ERRORS`; the file of errors has all."""

    @property
    def rows(self) -> int:
        return self.new + self.same + self.changed + self.wrong

    def __str__(self) -> str:
        parts = [f"{self.new:,} new", f"{self.same:,} the same", f"{self.changed:,} changed"]
        return ", ".join([*parts, f"{self.wrong:,} wrong"])


def check_rows(
    rows: Iterable[Row | RowError],
    *,
    known: Callable[[list[str]], Mapping[str, str]],
    staged: Path | None,
    errors: Path | None,
    called: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Check:
    """Compare each row with what the database holds, and write nothing there.

    `known(keys)` gives the stored content hash of those keys that are stored. Good rows go to
    the file `staged`, one JSON object a line; wrong ones to `errors`, as CSV.
    `called` tells what people call a file that lies here under another name.
    """
    called = called or {}
    counts = {"new": 0, "same": 0, "changed": 0}
    first: list[RowError] = []
    wrong = 0
    with ExitStack() as stack:
        out = stack.enter_context(staged.open("w", encoding="utf-8")) if staged else None
        table = None
        if errors:
            table = csv.writer(
                stack.enter_context(errors.open("w", encoding="utf-8-sig", newline=""))
            )
            table.writerow(["file", "line", "field", "value", "problem", "fix"])
        for some in batches(rows):
            good: list[Row] = []
            for row in some:
                if not isinstance(row, RowError):
                    good.append(row)
                    continue
                wrong += 1
                row = replace(row, file=called.get(row.file, row.file))
                if len(first) < SHOWN_ERRORS:
                    first.append(row)
                if table:
                    table.writerow([safe_cell(value) for value in asdict(row).values()])
            stored = known([row["key"] for row in good])
            for row in good:
                before = stored.get(row["key"])
                kind = "new" if before is None else "same" if before == row["hash"] else "changed"
                counts[kind] += 1
                if out:
                    out.write(json.dumps(row) + "\n")
            if progress:
                progress(sum(counts.values()) + wrong)
    return Check(**counts, wrong=wrong, errors=tuple(first))


def staged_rows(path: Path) -> Iterator[Row]:
    """The rows that a check has set aside."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def batches(rows: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """`rows` in lists of `size`, or shorter where their texts are long; the last one shorter."""
    some: list[T] = []
    characters = 0
    for row in rows:
        some.append(row)
        if isinstance(row, dict):
            characters += len(row["text"])
        if len(some) >= size or characters >= BATCH_CHARACTERS:
            yield some
            some, characters = [], 0
    if some:
        yield some


def error_to_plain(error: RowError) -> dict[str, Any]:
    """An error as JSON keeps it, with its whole sentence."""
    return {**asdict(error), "sentence": str(error)}


def failure_sentence(error: Exception) -> str:
    """What a person is told of a job's end: our own errors as they are, others by their name."""
    if isinstance(error, RarrError):
        return str(error)
    if isinstance(error, OSError):
        reason = (error.strerror or str(error)).lower()
        return f"The disk or the file gave an error ({reason}): look at the free space."
    kind = type(error).__name__
    return f"An error that nobody foresaw ({kind}): the worker's log tells more."


def safe_cell(value: object) -> str:
    """A cell that no spreadsheet takes for a formula.

    >>> safe_cell("=1+1"), safe_cell(7)
    ("'=1+1", '7')
    """
    text = str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
