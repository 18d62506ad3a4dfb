"""Passages of a plain table: their fields in columns of any names."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.importing.columns import LABELS, label_key
from pipeline.importing.contexts import as_list
from pipeline.importing.fields import make_row
from pipeline.importing.lines import with_nested
from pipeline.importing.passage import Format
from pipeline.importing.rarr_results import revision_of
from pipeline.importing.rows import PART, Fault, PassageRow, shortened

_WHOLE = re.compile(r"\d+\.0")
"""A whole number, as pandas writes it in a column with empty cells."""


def rows(
    line: int,
    row: dict[str, Any],
    *,
    columns: Mapping[str, str],
    sources: Sequence[str] = (),
    format: Format,  # noqa: A002
) -> Iterator[PassageRow]:
    """Read the passage of a row; all but its text may be missing or null.

    `columns` maps the fields to columns, "" for none; `meta.question` is the key question of meta.
    Several columns of `sources` become one list. Without one, they are found by the usual keys.
    The name of a list or file is content only where a field is read from it.
    """
    if PART in columns.values() and PART in row:
        row = row | {PART: str(row[PART])}
    given = with_nested(row)
    used = {columns["text"], columns["context"], columns["id"], *sources}
    fields = {key: value for key, value in row.items() if key not in used}
    name = columns.get("sources", "")
    value = _sources(given, sources or [name])
    if name and (value or name in fields):
        fields[name] = value
    if (model := columns.get("model")) and model != "model":
        fields["model"] = fields.pop(model, given.get(model))
    label = label_key(given.get(columns.get("label", "")))
    if label not in LABELS:
        fix = "write 1, 0, yes, no or nothing, or choose another column"
        raise Fault("the label is unknown", fix, field=columns["label"], value=shortened(label))
    external_id = given.get(columns["id"]) if columns["id"] else None
    if format == "csv" and isinstance(external_id, str) and _WHOLE.fullmatch(external_id):
        external_id = external_id[:-2]
    read_from = {
        field: column
        for field, column in columns.items()
        if (column in given if column else field == "sources")
    }
    made = make_row(
        line,
        external_id=external_id,
        text=given.get(columns["text"]),
        context=given.get(columns["context"]) if columns["context"] else None,
        fields=fields,
        format=format,
        sources=columns.get("sources"),
        record=row,
        mapping=[read_from, [each for each in sources if each in given]],
        attributable=LABELS[label],
        names=(columns["id"], columns["text"], columns["context"]),
    )
    made.source.revision = revision_of(row, passage=made.passage)
    yield made


def _sources(given: Mapping[str, Any], columns: Sequence[str]) -> Any:
    """Return the value of a column, a text of a list as the list; of several columns one list."""
    if len(columns) > 1:
        lists = [as_list(given.get(each)) for each in columns]
        return [each for some in lists for each in (some if isinstance(some, list) else [some])]
    value = given.get(columns[0])
    is_list = isinstance(value, str) and value.lstrip().startswith("[")
    return as_list(value) if is_list else value
