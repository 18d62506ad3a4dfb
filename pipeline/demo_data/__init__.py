"""Documents and passages of our own writing, to try rarrweb on; README.md tells about them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.importing.corpus_files import read_documents
from pipeline.rarr.types import Document

FOLDER = Path(__file__).resolve().parent
DOCUMENTS = FOLDER / "documents"
PASSAGES = FOLDER / "passages.jsonl"
CORPUS = "Demo encyclopedia"
"""What `manage.py demo` calls the corpus of these documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedError:
    """A stretch of a passage that is wrong, what would be right, and where that stands."""

    wrong: str
    right: str
    document: str
    """The document's id: its file name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """What is known about one passage."""

    id: str
    errors: tuple[PlantedError, ...]
    unsupported: tuple[str, ...]
    """Sentences of the passage about which no document says anything."""

    def corrected(self, text: str) -> str:
        """The passage with its errors put right and nothing else changed."""
        for error in self.errors:
            text = text.replace(error.wrong, error.right)
        return text


def demo_documents() -> Iterator[Document]:
    """The documents, each with the address of a public page about its subject."""
    urls = {row["file"]: row["url"] for row in _read("index.json")}
    for document in read_documents(DOCUMENTS):
        yield replace(document, url=urls[document.id])


def planted() -> dict[str, Planted]:
    """What was planted in each passage, by the passage's id."""
    return {
        row["id"]: Planted(
            id=row["id"],
            errors=tuple(PlantedError(**error) for error in row["errors"]),
            unsupported=tuple(row["unsupported"]),
        )
        for row in _read("planted.json")
    }


def _read(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return rows
