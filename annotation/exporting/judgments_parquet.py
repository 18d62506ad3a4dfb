"""The table of judgments as Parquet, with typed columns."""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from annotation.exporting import judgments_csv
from annotation.exporting.context import ExportContext
from annotation.exporting.export import Format
from annotation.exporting.schema import TRUTH, Fields
from rarrweb.web.streaming import Pieces

if TYPE_CHECKING:
    import pyarrow

GROUP_ROWS = 5_000
GROUP_CHARACTERS = 8_000_000
"""Either limit ends a row group; one is in memory at a time."""

TIMES = ("submitted_at", "edited_at")
TRUTHS = ("late",)
TIME = "timestamp"
COLUMNS: Fields = {
    **judgments_csv.COLUMNS,
    **dict.fromkeys(TIMES, TIME),
    **dict.fromkeys(TRUTHS, TRUTH),
}


def pieces(context: ExportContext) -> Iterator[bytes]:
    """Yield the file; only this imports `pyarrow`."""
    import pyarrow
    import pyarrow.parquet

    # Arrow's allocator would never return memory to the system.
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    schema = pyarrow.schema([(name, _arrow(kind)) for name, kind in COLUMNS.items()])
    sink = Pieces()
    file = pyarrow.PythonFile(sink, mode="w")
    with pyarrow.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        yield sink.take()
        for columns in _groups(context):
            arrays = [_column(values, schema.field(name)) for name, values in columns.items()]
            context.counts.lines += len(arrays[0])
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
            yield sink.take()
    yield sink.take()


PARQUET = Format(
    name="parquet",
    title=judgments_csv.CSV.title,
    about=judgments_csv.CSV.about,
    count=judgments_csv.count,
    file_type="Parquet",
    suffix=".parquet",
    content_type="application/vnd.apache.parquet",
    lines=pieces,
)


def _groups(context: ExportContext) -> Iterator[dict[str, list[Any]]]:
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    texts = [columns[name] for name in ("target_text", "text", "comment")]
    characters = rows = 0
    for row in judgments_csv.rows(context):
        for name, values in columns.items():
            values.append(row.get(name))
        rows += 1
        characters += sum(len(values[-1] or "") for values in texts)
        if rows == GROUP_ROWS or characters >= GROUP_CHARACTERS:
            yield columns
            for values in columns.values():
                values.clear()
            characters = rows = 0
    if rows:
        yield columns


def _column(values: list[Any], field: "pyarrow.Field") -> "pyarrow.Array":
    import pyarrow

    if field.name in TIMES:
        # Arrow's own cast loads 20 MB of functions.
        values = [value and datetime.fromisoformat(value) for value in values]
    elif field.name in TRUTHS:
        values = [None if value is None else bool(value) for value in values]
    elif pyarrow.types.is_string(field.type):
        # Half a surrogate pair cannot be written.
        values = [value and value.encode("utf-8", errors="replace").decode() for value in values]
    return pyarrow.array(values, type=field.type)


def _arrow(kind: str) -> "pyarrow.DataType":
    import pyarrow

    return pyarrow.timestamp("ms", tz="UTC") if kind == TIME else pyarrow.type_for_alias(kind)
