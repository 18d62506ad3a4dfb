"""Lines of the public RARR program: `{"input_info": {"claim": …, "context": …}}`.

Its outputs also have a `result` (see `rarr_results`).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from pipeline.importing.fields import make_row, validate
from pipeline.importing.lines import read_rows
from pipeline.importing.rarr_results import revision_of
from pipeline.importing.rows import PassageRow, RowError

CLAIM_FIELDS = ("claim", "model_outputs_explanation")
"""Keys of the passage: the public program's example, then its default."""


class _Input(BaseModel):
    input_info: dict[str, Any]


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """Read a passage for each line; the id may be in `input_info` or in the line."""
    return read_rows(path, _rows)


def _rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    fixes = {"input_info": 'write {"input_info": {"claim": "…"}}'}
    info = validate(_Input, row, fixes=fixes).input_info
    claim = next((name for name in CLAIM_FIELDS if name in info), CLAIM_FIELDS[0])
    used = {claim, "context"}
    fields = {key: value for key, value in row.items() if key not in {"id", "input_info"}}
    external_id, id_name = row.get("id"), "id"
    if external_id is None and isinstance(info.get("id"), str | int):
        external_id, id_name = info["id"], "input_info.id"
        used.add("id")
    rest = {key: value for key, value in info.items() if key not in used}
    if rest:
        fields["input_info"] = rest
    made = make_row(
        line,
        external_id=external_id,
        text=info.get(claim),
        context=info.get("context"),
        fields=fields,
        format="rarr",
        names=(id_name, f"input_info.{claim}", "input_info.context"),
    )
    made.source.revision = revision_of(fields, passage=made.passage)
    yield made
