"""From a file to the tables: check all rows, stage the good ones, report the others, write.

A check reads the whole file once and writes the good rows to a file of staged rows, so that the
import writes exactly what was checked, whatever happens to the original.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import QuerySet

from pipeline.importing.rows import DocumentRow, PassageRow, RowError
from pipeline.models import Corpus, Dataset, Document, Passage
from pipeline.rarr.errors import RarrError
from rarrweb.csv import neutral

T = TypeVar("T")
Stored = TypeVar("Stored", Passage, Document)

BATCH = 500
BATCH_CHARACTERS = 8_000_000
"""A batch of rows holds at most this much text and one more row."""
SHOWN_ERRORS = 20
ERROR_COLUMNS = ["file", "line", "field", "value", "problem", "fix"]

Row = dict[str, Any]
"""A staged row, as JSON: its content, its external id as `key`, its content hash as `hash`."""
Progress = Callable[[int], None]
"""Called with the number of rows done so far."""
Confirm = Callable[[], object]
"""Called before something is written; raises if another worker has taken over the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What an import would do: the number of rows that are new, the same, changed or wrong."""

    new: int
    same: int
    changed: int
    wrong: int
    errors: tuple[RowError, ...]
    """The first `SHOWN_ERRORS`; the file of errors has all of them."""

    @property
    def rows(self) -> int:
        return self.new + self.same + self.changed + self.wrong

    def __str__(self) -> str:
        parts = [f"{self.new:,} new", f"{self.same:,} the same", f"{self.changed:,} changed"]
        return ", ".join([*parts, f"{self.wrong:,} wrong"])


def to_stage(row: PassageRow | DocumentRow) -> Row:
    """A row as a file of staged rows holds it."""
    return {"key": row.external_id, "hash": row.content_hash, **row.content}


def check_rows(
    rows: Iterable[PassageRow | DocumentRow | RowError],
    *,
    stored: Callable[[list[str]], Mapping[str, str]],
    staged: Path | None = None,
    errors: Path | None = None,
    called: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Check:
    """Compare each row with the database, and write nothing there.

    `stored(keys)` gives the content hashes that the database has for these external ids. Good
    rows go to the file `staged`, one JSON object a line; errors go to `errors`, as CSV. `called`
    maps a file's name here to the name that people know.
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
                # A file's name may hold bytes that are not UTF-8.
                stack.enter_context(
                    errors.open("w", encoding="utf-8-sig", errors="replace", newline="")
                )
            )
            table.writerow(ERROR_COLUMNS)
        for some in batches(row if isinstance(row, RowError) else to_stage(row) for row in rows):
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
                    table.writerow(neutral(getattr(row, name)) for name in ERROR_COLUMNS)
            hashes = stored([row["key"] for row in good])
            for row in good:
                before = hashes.get(row["key"])
                kind = "new" if before is None else "same" if before == row["hash"] else "changed"
                counts[kind] += 1
                if out:
                    out.write(json.dumps(row) + "\n")
            if progress:
                progress(sum(counts.values()) + wrong)
    return Check(**counts, wrong=wrong, errors=tuple(first))


def stored_hashes(rows: QuerySet[Stored], keys: list[str]) -> dict[str, str]:
    """The content hashes of those passages or documents that have these external ids."""
    found = rows.filter(external_id__in=keys)
    return dict(found.values_list("external_id", "content_hash"))


def write_batches(
    staged: Path,
    write: Callable[[list[Row]], object],
    *,
    progress: Progress | None,
    confirm: Confirm,
) -> None:
    """Give the staged rows to `write`, each batch in a transaction that `confirm` ends."""
    done = 0
    for some in batches(staged_rows(staged)):
        with transaction.atomic():
            write(some)
            confirm()
        done += len(some)
        if progress:
            progress(done)


def write_rows(
    model: type[Stored], rows: list[Row], *, parent: Dataset | Corpus, **reset: Any
) -> int:
    """Store a batch of staged rows in `parent`, within a transaction; how many are new.

    A row whose external id is stored is changed in place if its content differs. `reset` are
    values of other columns, for new and changed rows.
    """
    # Two imports into one parent take turns: ids that both bring must not collide.
    type(parent)._default_manager.select_for_update().get(pk=parent.pk)
    owner = {str(parent._meta.model_name): parent}
    table = model._default_manager
    found = table.filter(**owner, external_id__in=[row["key"] for row in rows])
    stored = {each.external_id: each for each in found.only("external_id", "content_hash")}
    new: list[Stored] = []
    changed: list[Stored] = []
    names: list[str] = []
    for row in rows:
        content = {name: value for name, value in row.items() if name not in {"key", "hash"}}
        values = {**content, "content_hash": row["hash"], **reset}
        names = list(values)
        if (before := stored.get(row["key"])) is None:
            new.append(model(external_id=row["key"], **owner, **values))
        elif before.content_hash != row["hash"]:
            for name, value in values.items():
                setattr(before, name, value)
            changed.append(before)
    table.bulk_create(new)
    table.bulk_update(changed, names, batch_size=20)
    return len(new)


def staged_rows(path: Path) -> Iterator[Row]:
    """The rows that a check has staged."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def batches(rows: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """`rows` in lists of `size`; lists with long texts, and the last one, are shorter."""
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
    """An error as JSON, with its whole sentence."""
    return {**asdict(error), "sentence": str(error)}


def failure_sentence(error: Exception) -> str:
    """Why a job failed, for people: our own errors as they are, others by their type."""
    if isinstance(error, RarrError):
        return str(error)
    if isinstance(error, OSError):
        reason = (error.strerror or str(error)).lower()
        return f"The disk or the file gave an error ({reason}): look at the free space."
    kind = type(error).__name__
    return f"An error that nobody foresaw ({kind}): the worker's log tells more."
