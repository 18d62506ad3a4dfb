"""From a file to the tables: check all rows, stage the good ones, report the others, write.

A check reads the whole file once and writes the good rows to a file of staged rows, so that the
import writes exactly what was checked, whatever happens to the original.
"""

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from django.db import connection, transaction
from django.db.models import QuerySet

from pipeline.importing.rows import DocumentRow, PassageRow, RowError
from pipeline.models import Corpus, Dataset, Document, Passage
from rarrweb.web.csv import neutral

T = TypeVar("T")
Stored = TypeVar("Stored", Passage, Document)

BATCH = 500
BATCH_CHARACTERS = 8_000_000
"""A batch of rows holds at most this much text and one more row."""
SHOWN_ERRORS = 20
_encoder = msgspec.json.Encoder()
ERROR_COLUMNS = ["file", "line", "field", "value", "problem", "fix"]

Progress = Callable[[int], None]
"""Called with the number of rows done so far."""
Confirm = Callable[[], object]
"""Called before something is written; raises if another worker has taken over the work."""


class Row(msgspec.Struct, omit_defaults=True, gc=False):
    """A passage or a document on its way: the columns of its table that it has a value for."""

    external_id: str
    content_hash: str
    text: str
    context: str | None = None
    source: msgspec.Raw = msgspec.Raw()
    """JSON, written once: as it is staged the database gets it."""
    title: str | None = None
    url: str | None = None

    @property
    def brings_revision(self) -> bool:
        """Whether its source may have a revised text, which becomes part of a run."""
        return b'"revised_text"' in bytes(self.source)

    def columns(self) -> dict[str, Any]:
        """The values of columns, by name."""
        found = {
            "external_id": self.external_id,
            "content_hash": self.content_hash,
            "text": self.text,
            "context": self.context,
            "source": self.source if bytes(self.source) else None,
            "title": self.title,
            "url": self.url,
        }
        return {name: value for name, value in found.items() if value is not None}


Complete = Callable[[Iterable[Row], Collection[str]], Iterable[Row]]
"""Called with rows and the ids of those that the database has; what it gives is written."""


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
    content = row.content
    if "source" in content:
        content["source"] = msgspec.Raw(_encoder.encode(content["source"]))
    return Row(external_id=row.external_id, content_hash=row.content_hash, **content)


def check_rows(
    rows: Iterable[PassageRow | DocumentRow | RowError],
    *,
    stored: Callable[[list[str]], Mapping[str, str]],
    staged: Path | None = None,
    errors: Path | None = None,
    called: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    complete: Complete = lambda rows, same: rows,
) -> Check:
    """Compare each row with the database, and write nothing there.

    `stored(keys)` gives the content hashes that the database has for these external ids. Good
    rows go to the file `staged`, one JSON object a line, as `complete` gives them; errors go to
    `errors`, as CSV. `called` maps a file's name here to the name that people know.
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
            hashes = stored([row.external_id for row in good])
            same: set[str] = set()
            for row in good:
                before = hashes.get(row.external_id)
                is_same = before == row.content_hash
                counts["new" if before is None else "same" if is_same else "changed"] += 1
                if is_same:
                    same.add(row.external_id)
            if out:
                for row in complete(good, same):
                    out.write(_encoder.encode(row) + b"\n")
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
    model: type[Stored],
    progress: Progress | None,
    confirm: Confirm,
) -> None:
    """Give the staged rows, of `model`, to `write`, each batch in a transaction that `confirm`
    ends."""
    done = 0
    for some in batches(staged_rows(staged)):
        with transaction.atomic():
            write(some)
            confirm()
        if not done:
            _analyze(model)
        done += len(some)
        if progress:
            progress(done)


def _analyze(model: type[Stored]) -> None:
    """Let PostgreSQL see that an external id is one row's. Of a table that was empty a minute ago
    it knows nothing yet, and reads all rows of the dataset or corpus for each batch of ids."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")


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
    found = table.filter(**owner, external_id__in=[row.external_id for row in rows])
    stored = {each.external_id: each for each in found.only("external_id", "content_hash")}
    new: list[Row] = []
    changed: list[Stored] = []
    names: set[str] = set()
    for row in rows:
        if (before := stored.get(row.external_id)) is None:
            new.append(row)
        elif before.content_hash != row.content_hash:
            values = {**row.columns(), **reset}
            names = values.keys() - {"external_id"}
            for name in names:
                setattr(before, name, values[name])
            changed.append(before)
    if new:
        table.bulk_create(model(**owner, **row.columns(), **reset) for row in new)
    if changed:
        table.bulk_update(changed, sorted(names), batch_size=20)
    return len(new)


def staged_rows(path: Path) -> Iterator[Row]:
    """The rows that a check has staged."""
    with path.open("rb") as file:
        for line in file:
            yield msgspec.json.decode(line, type=Row)


def _length(row: object) -> int:
    return len(row.text) + len(row.source) if isinstance(row, Row) else 0


def batches(
    rows: Iterable[T],
    size: int = BATCH,
    *,
    length: Callable[[T], int] = _length,
    characters: int = BATCH_CHARACTERS,
) -> Iterator[list[T]]:
    """`rows` in lists of `size`, which end sooner where they have so many `characters`, as `length`
    counts them; the last one is shorter, too."""
    some: list[T] = []
    found = 0
    for row in rows:
        some.append(row)
        found += length(row)
        if len(some) >= size or found >= characters:
            yield some
            some, found = [], 0
    if some:
        yield some


def error_to_plain(error: RowError) -> dict[str, Any]:
    """An error as JSON, with its whole sentence."""
    return {**asdict(error), "sentence": str(error)}
