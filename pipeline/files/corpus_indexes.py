"""Search indexes for `revise --corpus PATH_OR_NAME`, without a database.

A path's index is stored by the hash of its files in the state folder.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from pipeline.backends.tantivy_corpus import write_index
from pipeline.importing.corpus_files import SUFFIXES
from pipeline.rarr.errors import RarrError
from pipeline.rarr.types import Document

FORMAT = "1"
"""Changes with the index's schema."""
MAX_INDEXES = 5
"""Number of stored indexes; the least recently used goes first."""
ABANDONED_SECONDS = 24 * 3600


class NoCorpus(RarrError):
    """Neither a path nor the name of an indexed corpus."""


def find_index(corpus: str) -> tuple[Path, Path | None]:
    """Return the index of a path or corpus name, and a path to index first, or None.

    Raises `NoCorpus`.
    """
    path = Path(corpus).expanduser()
    if path.exists():
        index = Path(settings.VAR_DIR) / "revise-indexes" / _fingerprint(path)
        if (index / "meta.json").exists():
            os.utime(index)
            return index, None
        return index, path
    known = sorted(each.parent.name for each in Path(settings.CORPUS_DIR).glob("*/meta.json"))
    if corpus in known:
        return Path(settings.CORPUS_DIR) / corpus, None
    raise NoCorpus(
        f"There is no file, folder or indexed corpus {corpus!r}: name a folder of .txt, .md or "
        f".html files, a .jsonl file, or one of these corpora: {', '.join(known) or 'none yet'}."
    )


def build_index(index: Path, documents: Iterator[Document]) -> None:
    """Index all documents or none; raises as `documents`."""
    index.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix="making-", dir=index.parent))
    try:
        write_index(making, documents)
        try:
            making.rename(index)
        except OSError:
            # Another process was faster.
            if not (index / "meta.json").exists():
                raise
    finally:
        shutil.rmtree(making, ignore_errors=True)
    _forget_old(index.parent)


def _fingerprint(path: Path) -> str:
    """Hash names and bytes of the files at `path`."""
    digest = hashlib.sha256(FORMAT.encode())
    files = [path]
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.suffix.lower() in SUFFIXES)
    for file in files:
        if not file.is_file():
            continue
        name = file.relative_to(path).as_posix() if path.is_dir() else file.suffix
        digest.update(f"{len(name)}:{name}:{file.stat().st_size}:".encode())
        with file.open("rb") as opened:
            hashlib.file_digest(opened, lambda: digest)
    return digest.hexdigest()[:32]


def _forget_old(folder: Path) -> None:
    for left in folder.glob("making-*"):  # by a killed process
        if time.time() - left.stat().st_mtime > ABANDONED_SECONDS:
            shutil.rmtree(left, ignore_errors=True)
    indexes = {each.parent for each in folder.glob("*/meta.json")} - {*folder.glob("making-*")}
    for index in sorted(indexes, key=lambda each: each.stat().st_mtime)[:-MAX_INDEXES]:
        shutil.rmtree(index, ignore_errors=True)
