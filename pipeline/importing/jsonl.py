"""Our own lines: `{"id": …, "text": …, "context": …}` and any other keys."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.importing.fields import make_row
from pipeline.importing.lines import read_rows, with_nested
from pipeline.importing.rarr_results import revision_of
from pipeline.importing.rows import PASSAGE_COLUMNS, PassageRow, RowError


def read(path: Path, columns: Mapping[str, str] | None = None) -> Iterator[PassageRow | RowError]:
    """Read a passage for each line; `id` and `context` may be missing or null.

    `columns` maps the fields to other keys; `meta.question` is the key question of meta.
    """
    return read_rows(path, partial(_rows, columns or PASSAGE_COLUMNS))


def _rows(columns: Mapping[str, str], line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    given = with_nested(row)
    made = make_row(
        line,
        external_id=given.get(columns["id"]) if columns["id"] else None,
        text=given.get(columns["text"]),
        context=given.get(columns["context"]) if columns["context"] else None,
        fields={key: value for key, value in row.items() if key not in columns.values()},
        format="jsonl",
        names=(columns["id"], columns["text"], columns["context"]),
    )
    made.source.revision = revision_of(row, passage=made.passage)
    yield made
