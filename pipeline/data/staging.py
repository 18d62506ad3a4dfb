"""Staging: check a file, write valid rows to another, then to the tables."""

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from django.db import connection, transaction
from django.db.models import QuerySet

from pipeline.data.bulk_insert import insert_rows
from pipeline.importing.rows import DocumentRow, Fault, FileNotes, PassageRow, RowError
from pipeline.models import Corpus, Dataset, Document, Passage
from rarrweb.web.csv import neutral

T = TypeVar("T")
Stored = TypeVar("Stored", Passage, Document)

BATCH = 500
BATCH_CHARACTERS = 8_000_000
"""Of a batch, before its last row."""
DISPLAYED_ERRORS = 20
_encoder = msgspec.json.Encoder()
ERROR_COLUMNS = ["file", "line", "field", "value", "problem", "fix"]

Progress = Callable[[int], None]
"""Called with the number of rows done."""
Confirm = Callable[[], object]
"""Called before a write; raises if another worker has taken over."""


class StagedRow(msgspec.Struct, omit_defaults=True, gc=False):
    """Columns of a passage or a document."""

    external_id: str
    content_hash: str
    text: str
    context: str | None = None
    format: str | None = None
    source: msgspec.Raw = msgspec.Raw()
    """JSON of a `PassageSource`."""
    title: str | None = None
    url: str | None = None

    def columns(self) -> dict[str, Any]:
        """Return the values by column, for its own table."""
        values = msgspec.structs.asdict(self)
        values["source"] = bytes(self.source).decode() or None
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The number of new, same, changed and wrong rows."""

    new: int
    same: int
    changed: int
    wrong: int
    notes: FileNotes
    errors: tuple[RowError, ...]
    """The first `DISPLAYED_ERRORS`."""

    @property
    def valid(self) -> int:
        return self.new + self.same + self.changed

    @property
    def rows(self) -> int:
        return self.valid + self.wrong

    def __str__(self) -> str:
        parts = [f"{self.new:,} new", f"{self.same:,} the same", f"{self.changed:,} changed"]
        repeated = [f"{self.notes.equal:,} equal to another row"] if self.notes.equal else []
        return ", ".join([*parts, f"{self.wrong:,} wrong", *repeated])


def to_stage(row: PassageRow | DocumentRow) -> StagedRow:
    if isinstance(row, DocumentRow):
        values: dict[str, Any] = row.content
    else:
        values = {
            "text": row.text,
            "context": row.context,
            "format": row.format,
            "source": msgspec.Raw(row.source.to_json()),
        }
    return StagedRow(external_id=row.external_id, content_hash=row.content_hash, **values)


def check_file(
    path: Path,
    *,
    read: Callable[..., Iterable[PassageRow | DocumentRow | RowError]],
    stored: QuerySet[Stored],
    reading: Mapping[str, Any] | None = None,
    update: bool = False,
    **files: Any,
) -> Check:
    """Check the rows that `read` reads, with `reading` as its arguments, against the `stored`.

    A row with other content under a stored id is an error, unless `update`. `files` go to
    `check_rows`. Raises `UnreadableFile`.
    """
    notes = FileNotes()
    return check_rows(
        read(path, notes=notes, **(reading or {})),
        stored=partial(stored_hashes, stored),
        notes=notes,
        unchanged="" if update else path.name,
        **files,
    )


def check_rows(
    rows: Iterable[PassageRow | DocumentRow | RowError],
    *,
    stored: Callable[[list[str]], Mapping[str, str]],
    notes: FileNotes,
    staged: Path | None = None,
    errors: Path | None = None,
    called: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    unchanged: str = "",
    complete: Callable[[list[StagedRow], Collection[str]], Iterable[StagedRow]] = (
        lambda rows, same: rows
    ),
) -> Check:
    """Compare each row with the database, without writing there.

    `stored` gives the content hashes of external ids. Valid rows, completed by `complete`, which
    gets the ids of unchanged ones too, go to `staged` as JSON lines; errors go to `errors` as CSV.
    `called` maps stored to original file names. With the file's name as `unchanged`, changed rows
    are errors, unless they have a revision, which another system may have written.
    """
    called = called or {}
    counts = {"new": 0, "same": 0, "changed": 0}
    first: list[RowError] = []
    wrong = 0
    with ExitStack() as stack:
        out = stack.enter_context(staged.open("wb")) if staged else None
        table = None
        if errors:
            table = csv.writer(
                # File names may not be UTF-8.
                stack.enter_context(
                    errors.open("w", encoding="utf-8-sig", errors="replace", newline="")
                )
            )
            table.writerow(ERROR_COLUMNS)
        for some in batches(rows, length=_length):
            hashes = stored([row.external_id for row in some if not isinstance(row, RowError)])
            good: list[StagedRow] = []
            same: set[str] = set()
            for row in some:
                if isinstance(row, RowError):
                    error = row
                else:
                    before = hashes.get(row.external_id)
                    is_same = before == row.content_hash
                    may_change = not unchanged or (
                        isinstance(row, PassageRow) and row.source.revision is not None
                    )
                    if before is None or is_same or may_change:
                        counts["new" if before is None else "same" if is_same else "changed"] += 1
                        good.append(to_stage(row))
                        same |= {row.external_id} if is_same else set()
                        continue
                    error = _refuse_change(row, unchanged)
                wrong += 1
                error = replace(error, file=called.get(error.file, error.file))
                if len(first) < DISPLAYED_ERRORS:
                    first.append(error)
                if table:
                    table.writerow(neutral(getattr(error, name)) for name in ERROR_COLUMNS)
            if out:
                for staged_row in complete(good, same):
                    out.write(_encoder.encode(staged_row) + b"\n")
            if progress:
                progress(sum(counts.values()) + wrong)
    return Check(
        new=counts["new"],
        same=counts["same"],
        changed=counts["changed"],
        wrong=wrong,
        notes=notes,
        errors=tuple(first),
    )


def _refuse_change(row: PassageRow | DocumentRow, file: str) -> RowError:
    fault = Fault(
        "other content is stored under this id",
        "give it another id, or choose to replace what is stored",
        field="id",
        value=row.external_id,
        option=" (--update)",
    )
    fault.row = row.displayed
    return fault.at(file, row.line)


def stored_hashes(rows: QuerySet[Stored], keys: list[str]) -> dict[str, str]:
    """Return the content hashes by external id."""
    return dict(rows.filter(external_id__in=keys).values_list("external_id", "content_hash"))


def write_batches(
    staged: Path,
    write: Callable[[list[StagedRow]], object],
    *,
    model: type[Stored],
    progress: Progress | None,
    confirm: Confirm,
) -> None:
    """Give batches of staged rows to `write`, each in a transaction ended by `confirm`."""
    done = 0
    for some in batches(staged_rows(staged)):
        with transaction.atomic():
            write(some)
            confirm()
        if not done and connection.vendor == "postgresql":
            # Without statistics, PostgreSQL reads all rows for each batch.
            with connection.cursor() as cursor:
                cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")
        done += len(some)
        if progress:
            progress(done)


def write_rows(
    model: type[Stored], rows: list[StagedRow], *, parent: Dataset | Corpus, **reset: Any
) -> int:
    """Store a batch in `parent`, within a transaction; returns the number of new rows.

    Changed rows are updated in place. `reset` are other columns of new and changed rows.
    """
    # Two imports into one parent must not insert the same ids.
    type(parent)._default_manager.select_for_update().get(pk=parent.pk)
    owner = {str(parent._meta.model_name): parent}
    table = model._default_manager
    stored = stored_hashes(table.filter(**owner), [row.external_id for row in rows])
    new = [row for row in rows if row.external_id not in stored]
    insert_rows(model, [row.columns() for row in new], **owner, **reset)
    for row in rows:
        if stored.get(row.external_id, row.content_hash) != row.content_hash:
            same_id = table.filter(**owner, external_id=row.external_id)
            same_id.update(**row.columns(), **reset)
    return len(new)


def staged_rows(path: Path, *, having: bytes = b"") -> Iterator[StagedRow]:
    """Read the rows whose JSON has the bytes `having`."""
    with path.open("rb") as file:
        for line in file:
            if having in line:
                yield msgspec.json.decode(line, type=StagedRow)


def _length(row: object) -> int:
    match row:
        case StagedRow():
            return len(row.text) + len(row.source)
        case PassageRow():
            return len(row.text) + sum(len(each.text) for each in row.source.sources)
        case DocumentRow():
            return len(row.document.text)
    return 0


def batches(
    rows: Iterable[T],
    size: int = BATCH,
    *,
    length: Callable[[T], int] = _length,
    characters: int = BATCH_CHARACTERS,
) -> Iterator[list[T]]:
    """Yield lists of `size` rows, or fewer once they have `characters`, counted by `length`."""
    some: list[T] = []
    length_of_some = 0
    for row in rows:
        some.append(row)
        length_of_some += length(row)
        if len(some) >= size or length_of_some >= characters:
            yield some
            some, length_of_some = [], 0
    if some:
        yield some
