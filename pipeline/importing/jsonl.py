"""Our own lines: `{"id": …, "text": …, "context": …}`, and whatever else the object holds."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.importing.fields import make_row
from pipeline.importing.lines import read_objects
from pipeline.importing.rows import PassageRow, RowError

OWN = {"id", "text", "context"}


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A passage a line. `text` is needed; `id` and `context` may be missing or null."""
    for item in read_objects(path):
        if isinstance(item, RowError):
            yield item
            continue
        line, row = item
        yield make_row(
            file=path.name,
            line=line,
            external_id=row.get("id"),
            text=row.get("text"),
            context=row.get("context"),
            source={key: value for key, value in row.items() if key not in OWN},
        )
