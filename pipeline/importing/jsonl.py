"""Our own lines: `{"id": …, "text": …, "context": …}`, and whatever else the object holds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.importing.fields import make_row
from pipeline.importing.lines import read_rows
from pipeline.importing.rows import PassageRow, RowError

OWN = {"id", "text", "context"}


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A passage for each line. `text` is required; `id` and `context` may be missing or null."""
    return read_rows(path, _rows)


def _rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    yield make_row(
        line,
        external_id=row.get("id"),
        text=row.get("text"),
        context=row.get("context"),
        source={key: value for key, value in row.items() if key not in OWN},
    )
