"""The input lines of the public RARR program: `{"input_info": {"claim": …, "context": …}}`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.importing.fields import make_row
from pipeline.importing.lines import kind_of, read_objects
from pipeline.importing.rows import PassageRow, RowError, shortened

CLAIM_FIELDS = ("claim", "model_outputs_explanation")
"""What the passage is called: the public program's example, then its default."""


def read(path: Path) -> Iterator[PassageRow | RowError]:
    """A passage a line, from `input_info`; an `id` beside it or in it is kept.

    Every other key, and what else `input_info` holds, goes to `source` untouched.
    """
    for item in read_objects(path):
        yield item if isinstance(item, RowError) else _row(*item, file=path.name)


def _row(line: int, row: dict[str, Any], *, file: str) -> PassageRow | RowError:
    info = row.get("input_info")
    if not isinstance(info, dict):
        missing = "input_info" not in row
        return RowError(
            file=file,
            line=line,
            field="input_info",
            value="" if missing else shortened(info),
            problem="there is no input_info" if missing else f"input_info is {kind_of(info)}",
            fix='write {"input_info": {"claim": "…"}}',
        )
    claim = next((name for name in CLAIM_FIELDS if name in info), CLAIM_FIELDS[0])
    used = {claim, "context"}
    source = {key: value for key, value in row.items() if key not in {"id", "input_info"}}
    external_id, id_name = row.get("id"), "id"
    if external_id is None and isinstance(info.get("id"), str | int):
        external_id, id_name = info["id"], "input_info.id"
        used.add("id")
    rest = {key: value for key, value in info.items() if key not in used}
    if rest:
        source["input_info"] = rest
    return make_row(
        file=file,
        line=line,
        external_id=external_id,
        text=info.get(claim),
        context=info.get("context"),
        source=source,
        names=(id_name, f"input_info.{claim}", "input_info.context"),
    )
