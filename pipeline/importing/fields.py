"""The fields that every format of passages has: read from an object, each with its errors."""

from collections.abc import Mapping
from typing import Any

from pipeline.importing.lines import bad_character, kind_of
from pipeline.importing.passages import content_id
from pipeline.importing.rows import (
    MAX_ID_CHARACTERS,
    MAX_PASSAGE_CHARACTERS,
    PassageRow,
    RowError,
    shortened,
)


def make_row(
    *,
    file: str,
    line: int,
    external_id: Any,
    text: Any,
    context: Any,
    source: Mapping[str, Any],
    names: tuple[str, str, str] = ("id", "text", "context"),
) -> PassageRow | RowError:
    """A passage from raw values, or the first error among them.

    `names` are what the file calls the id, the text and the context.
    """

    def error(name: str, problem: str, fix: str, value: object = "") -> RowError:
        return RowError(
            file=file, line=line, field=name, value=shortened(value), problem=problem, fix=fix
        )

    id_name, text_name, context_name = names
    if text is None:
        return error(text_name, f"there is no {text_name}", f"add {text_name} with the passage")
    for name, value in ((text_name, text), (context_name, context)):
        if value is None:
            continue
        if not isinstance(value, str):
            return error(name, f"{name} is {kind_of(value)}", "write a text in quotes", value)
        if len(value) > MAX_PASSAGE_CHARACTERS:
            return error(
                name,
                f"{name} has {len(value):,} characters, the limit is {MAX_PASSAGE_CHARACTERS:,}",
                "split it into several passages",
                value,
            )
        if fault := bad_character(value):
            return error(name, *fault)
    if not text.strip():
        return error(text_name, f"{text_name} is empty", "write the passage, or take the row out")
    if external_id is None or external_id == "":
        return PassageRow(
            line=line,
            external_id=content_id(text, context or ""),
            text=text,
            context=context or "",
            source=dict(source),
        )
    if isinstance(external_id, bool) or not isinstance(external_id, str | int):
        return error(
            id_name,
            f"{id_name} is {kind_of(external_id)}",
            "write a text or a whole number",
            external_id,
        )
    if isinstance(external_id, int) and abs(external_id) >= 10**MAX_ID_CHARACTERS:
        return error(id_name, f"{id_name} is too long a number", "write a shorter one")
    name = str(external_id).strip()
    if len(name) > MAX_ID_CHARACTERS:
        return error(
            id_name,
            f"{id_name} has {len(name):,} characters, the limit is {MAX_ID_CHARACTERS}",
            "write a shorter one",
            name,
        )
    if not name or not name.isprintable():
        return error(
            id_name,
            f"{id_name} is blank or holds a character that does not print",
            "write letters, digits and signs",
            str(external_id),
        )
    return PassageRow(
        line=line, external_id=name, text=text, context=context or "", source=dict(source)
    )
