"""The lines of the public RARR program: `{"input_info": {"claim": …, "context": …}}`.

A line that it wrote has a `result` too, which stays with the passage; `rarr_results` reads it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from pipeline.importing.fields import make_row, validate
from pipeline.importing.lines import read_rows
from pipeline.importing.rarr_results import check_result
from pipeline.importing.rows import PassageRow, RowError

CLAIM_FIELDS = ("claim", "model_outputs_explanation")
"""What the passage is called: the public program's example, then its default."""


class _Line(BaseModel):
    input_info: dict[str, Any]


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A passage for each line, from `input_info`; keeps an `id` beside it or in it.

    Every other key goes to `source` unchanged, and so does the rest of `input_info`.
    """
    return read_rows(path, _rows)


def _rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    fixes = {"input_info": 'write {"input_info": {"claim": "…"}}'}
    info = validate(_Line, row, fixes=fixes).input_info
    claim = next((name for name in CLAIM_FIELDS if name in info), CLAIM_FIELDS[0])
    used = {claim, "context"}
    source = {key: value for key, value in row.items() if key not in {"id", "input_info"}}
    external_id, id_name = row.get("id"), "id"
    if external_id is None and isinstance(info.get("id"), str | int):
        external_id, id_name = info["id"], "input_info.id"
        used.add("id")
    check_result(source)
    rest = {key: value for key, value in info.items() if key not in used}
    if rest:
        source["input_info"] = rest
    yield make_row(
        line,
        external_id=external_id,
        text=info.get(claim),
        context=info.get("context"),
        source=source,
        names=(id_name, f"input_info.{claim}", "input_info.context"),
    )
