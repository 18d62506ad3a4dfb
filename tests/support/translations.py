"""Writes a catalog of translations for a test, as msgfmt would, which not every machine has."""

import struct
from collections.abc import Mapping
from pathlib import Path

Message = str | tuple[str, str]
"""A text, or a text for one and a text for many."""
TWO_FORMS = "nplurals=2; plural=(n != 1);"


def write_catalog(
    folder: Path,
    language: str,
    messages: Mapping[Message, str | tuple[str, ...]],
    *,
    domain: str = "djangojs",
    plural_forms: str = TWO_FORMS,
) -> None:
    """Write FOLDER/LANGUAGE/LC_MESSAGES/DOMAIN.mo; FOLDER is for LOCALE_PATHS."""
    header = f"Content-Type: text/plain; charset=UTF-8\nPlural-Forms: {plural_forms}\n"
    texts = sorted((_bytes(text), _bytes(said)) for text, said in [("", header), *messages.items()])
    place = 28 + 16 * len(texts)  # after the head and the two tables
    tables: list[list[int]] = [[], []]
    body = b""
    for column in (0, 1):
        for row in texts:
            tables[column] += [len(row[column]), place + len(body)]
            body += row[column] + b"\0"
    numbers = [0x950412DE, 0, len(texts), 28, 28 + 8 * len(texts), 0, 0, *tables[0], *tables[1]]
    file = folder / language / "LC_MESSAGES" / f"{domain}.mo"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(struct.pack(f"<{len(numbers)}I", *numbers) + body)


def _bytes(text: str | tuple[str, ...]) -> bytes:
    return (text if isinstance(text, str) else "\0".join(text)).encode()
