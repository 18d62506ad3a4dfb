"""Passages of a plain table: their fields in columns of any names."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.importing.columns import LABELS, label_key
from pipeline.importing.contexts import as_list
from pipeline.importing.fields import make_row
from pipeline.importing.lines import with_nested
from pipeline.importing.passage import Format
from pipeline.importing.rarr_results import revision_of
from pipeline.importing.rows import Fault, PassageRow, shortened

_WHOLE = re.compile(r"\d+\.0")
"""A whole number, as pandas writes it in a column with empty cells."""


def rows(
    line: int,
    row: dict[str, Any],
    *,
    columns: Mapping[str, str],
    format: Format,  # noqa: A002
) -> Iterator[PassageRow]:
    """Read the passage of a row; all but its text may be missing or null.

    `columns` maps the fields to columns, "" for none; `meta.question` is the key question of meta.
    Without a mapping of `sources`, they are found by the usual keys.
    """
    given = with_nested(row)
    used = {columns["text"], columns["context"], columns["id"]}
    fields = {key: value for key, value in row.items() if key not in used}
    sources = columns.get("sources")
    if sources and isinstance(fields.get(sources), str):
        if fields[sources].lstrip().startswith("["):
            fields[sources] = as_list(fields[sources])
    elif sources and sources not in fields and given.get(sources):
        fields[sources] = given[sources]
    if (name := columns.get("model")) and name != "model":
        fields["model"] = fields.pop(name, given.get(name))
    label = label_key(given.get(columns.get("label", "")))
    if label not in LABELS:
        fix = "write 1, 0, yes, no or nothing, or choose another column"
        raise Fault("the label is unknown", fix, field=columns["label"], value=shortened(label))
    external_id = given.get(columns["id"]) if columns["id"] else None
    if format == "csv" and isinstance(external_id, str) and _WHOLE.fullmatch(external_id):
        external_id = external_id[:-2]
    made = make_row(
        line,
        external_id=external_id,
        text=given.get(columns["text"]),
        context=given.get(columns["context"]) if columns["context"] else None,
        fields=fields,
        format=format,
        sources=sources,
        attributable=LABELS[label],
        names=(columns["id"], columns["text"], columns["context"]),
    )
    made.source.revision = revision_of(row, passage=made.passage)
    yield made
