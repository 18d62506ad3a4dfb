"""Modes of the installation's files: 0600, folders 0700, whatever the umask."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077
"""Mode bits of group and others."""

_given_umask = os.umask(OTHERS)
os.umask(_given_umask)


def secure_directory(folder: Path) -> None:
    """Create the state folder, and let this process create no file that others can read.

    Restricts a folder that others can enter, its contents first: a restricted folder is then
    restricted throughout. Raises `OSError` if the folder cannot be created.
    """
    os.umask(OTHERS)
    folder.mkdir(parents=True, exist_ok=True)
    if is_group_readable(folder):
        for path in group_readable_files(folder):
            restrict_mode(path)
        restrict_mode(folder)


def group_readable_files(folder: Path) -> Iterator[Path]:
    """Yield what group or others may access below `folder`; links are not followed."""
    for below, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(below, name)
            if is_group_readable(path):
                yield path


def is_group_readable(path: Path) -> bool:
    """Return whether group or others may access `path`; False if it does not exist."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & OTHERS)


def restrict_mode(path: Path) -> None:
    """Remove all access of group and others. Files of other users stay unchanged."""
    with suppress(FileNotFoundError, PermissionError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & OTHERS:
            path.chmod(mode & ~OTHERS)


def apply_umask(path: Path) -> None:
    """Give a file that the user requested, as by `--out`, the mode of the user's umask."""
    path.chmod(0o666 & ~_given_umask)
