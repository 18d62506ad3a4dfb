"""The files of an installation beside its database, held still while they are copied.

A hard link holds a file as it is named now: when a worker deletes or replaces it a moment later,
the link stays. Files that rows name are written whole before the row is, and never changed after.
So uploads and packages are linked before the database is copied, and again after: whatever
a row of the copy names was there at one of the two. Search indexes come after the database, since
a document is in its index before its row says so.
"""

import os
import shutil
from pathlib import Path

from django.conf import settings

NAMED_BY_ROWS = ("uploads", "exports")
INDEXES = "corpora"
KEY = "secret_key"
FOLDERS = (*NAMED_BY_ROWS, INDEXES)
TRIES = 5
"""How often an index that a worker is writing is looked at again."""


def place_of(name: str) -> Path:
    """Where one of `FOLDERS` lies."""
    known = {
        "uploads": settings.UPLOAD_DIR,
        "exports": settings.EXPORT_DIR,
        INDEXES: settings.CORPUS_DIR,
    }
    return Path(known.get(name, Path(settings.VAR_DIR) / name))


def any_here() -> bool:
    """Whether one of the folders holds a file."""
    return any(files for name in FOLDERS for _, _, files in os.walk(place_of(name)))


def link_rows_files(stage: Path) -> None:
    """Link the files that rows name below `stage`; a second time adds what is new."""
    for name in NAMED_BY_ROWS:
        _link_folder(place_of(name), stage / name)


def link_others(stage: Path) -> list[str]:
    """Link the secret key and the search indexes; a sentence for each index that kept changing."""
    key = Path(settings.VAR_DIR) / KEY
    if key.exists():
        shutil.copy2(key, stage / KEY)
    left_out = []
    indexes = place_of(INDEXES)
    for index in sorted(indexes.iterdir()) if indexes.is_dir() else ():
        if index.is_dir() and not _link_index(index, stage / INDEXES / index.name):
            left_out.append(
                f"The search index of {index.name} was being written. Press “Index again” on the "
                "corpus's page after a restore: it is made from the database."
            )
    return left_out


def _link_index(index: Path, target: Path) -> bool:
    """Whether all files of one state of the index could be linked."""
    for _ in range(TRIES):
        before = _state_of(index)
        if _link_folder(index, target) and _state_of(index) == before:
            return True
        shutil.rmtree(target, ignore_errors=True)
    return False


def _state_of(index: Path) -> tuple[int, int] | None:
    """Changes with every commit, which replaces the file that lists the index's others."""
    try:
        seen = (index / "meta.json").stat()
    except FileNotFoundError:
        return None
    return seen.st_ino, seen.st_mtime_ns


def _link_folder(source: Path, target: Path) -> bool:
    """Link every file below; False where one went away meanwhile."""
    whole = True
    for below, _, names in os.walk(source):
        folder = target / Path(below).relative_to(source)
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            if name.endswith(".lock") or Path(below, name).is_symlink():
                continue
            try:
                _link(Path(below, name), folder / name)
            except FileNotFoundError:
                whole = False
    return whole


def _link(source: Path, target: Path) -> None:
    if target.exists():
        if target.samefile(source):
            return
        target.unlink()
    try:
        target.hardlink_to(source)
    except FileNotFoundError:
        raise
    except OSError:  # another disk, or one without links
        shutil.copy2(source, target)
