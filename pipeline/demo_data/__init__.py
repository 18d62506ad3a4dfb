"""Our own documents and passages to try rarrweb."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.importing.corpus_files import read_documents
from pipeline.rarr.serialization import from_plain
from pipeline.rarr.types import Document

FOLDER = Path(__file__).resolve().parent
DOCUMENTS = FOLDER / "documents"
PASSAGES = FOLDER / "passages.jsonl"
CORPUS = "Demo encyclopedia"
"""Name of the corpus in `manage.py demo`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedError:
    """An error, its correction, and its document."""

    wrong: str
    right: str
    document: str
    """Id and file name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """The known errors of a passage."""

    id: str
    errors: tuple[PlantedError, ...]
    unsupported: tuple[str, ...]
    """Sentences without support in any document."""

    def corrected(self, text: str) -> str:
        """The passage without its errors."""
        for error in self.errors:
            text = text.replace(error.wrong, error.right)
        return text


def demo_documents() -> Iterator[Document]:
    """Return documents with public URLs."""
    urls = {row["file"]: row["url"] for row in _read("index.json")}
    for document in read_documents(DOCUMENTS):
        yield replace(document, url=urls[document.id])


def planted() -> dict[str, Planted]:
    """Return the errors by passage id."""
    return {row["id"]: from_plain(Planted, row) for row in _read("planted.json")}


def _read(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return rows
