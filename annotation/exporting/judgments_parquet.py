"""The table of judgments as Parquet: the CSV's columns with real types, in row groups."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from annotation.exporting import judgments_csv
from annotation.exporting.export import Format
from annotation.exporting.schema import TIME, TRUTH, WHOLE, WHOLE_OR_EMPTY, Fields, FieldType
from annotation.exporting.source import Source

if TYPE_CHECKING:
    import pyarrow

GROUP_ROWS = 10_000
GROUP_CHARACTERS = 8_000_000
"""Whichever comes first ends a row group: one is in memory at a time."""

TIMES = ("submitted_at", "edited_at")
TRUTHS = ("late", "shared_words")
COLUMNS: Fields = {
    **{name: WHOLE if kind is WHOLE_OR_EMPTY else kind
       for name, kind in judgments_csv.COLUMNS.items()},
    **dict.fromkeys(TIMES, TIME),
    **dict.fromkeys(TRUTHS, TRUTH),
}  # fmt: skip


def pieces(source: Source) -> Iterator[bytes]:
    """The file's bytes. `pyarrow` is loaded here: nothing else of the product needs it."""
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema([(name, _arrow(kind)) for name, kind in COLUMNS.items()])
    sink = _Sink()
    file = pyarrow.PythonFile(sink, mode="w")
    with pyarrow.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        yield sink.taken()
        for rows in _groups(source):
            source.counts.lines += len(rows)
            columns = [_column(rows, name, schema.field(name).type) for name in COLUMNS]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))
            yield sink.taken()
    yield sink.taken()


PARQUET = Format(
    name="parquet",
    title="judgments (Parquet)",
    about=(
        "The same table as the CSV, one row per judgment, with typed columns and compressed. For "
        "large campaigns, and for pandas, polars, DuckDB or `datasets`."
    ),
    suffix=".parquet",
    content_type="application/vnd.apache.parquet",
    lines=pieces,
    fields=COLUMNS,
    is_main=False,
)


class _Sink:
    """A file that hands over what was written since it was last asked, and keeps none."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def flush(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        self.closed = True

    def taken(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _groups(source: Source) -> Iterator[list[Mapping[str, Any]]]:
    rows: list[Mapping[str, Any]] = []
    characters = 0
    for row in judgments_csv.rows(source):
        rows.append(row)
        characters += sum(len(row.get(name) or "") for name in ("target_text", "text", "comment"))
        if len(rows) == GROUP_ROWS or characters >= GROUP_CHARACTERS:
            yield rows
            rows, characters = [], 0
    if rows:
        yield rows


def _column(rows: list[Mapping[str, Any]], name: str, kind: "pyarrow.DataType") -> "pyarrow.Array":
    import pyarrow

    values = [row.get(name) for row in rows]
    if name in TIMES:
        return pyarrow.array(values, type=pyarrow.string()).cast(kind)
    if name in TRUTHS:
        values = [None if value is None else bool(value) for value in values]
    elif pyarrow.types.is_string(kind):
        # Half of a surrogate pair cannot be written; old data may have some.
        values = [value and value.encode("utf-8", errors="replace").decode() for value in values]
    return pyarrow.array(values, type=kind)


def _arrow(kind: FieldType) -> "pyarrow.DataType":
    import pyarrow

    if kind is TIME:
        return pyarrow.timestamp("ms", tz="UTC")
    return pyarrow.type_for_alias(kind.datasets)
