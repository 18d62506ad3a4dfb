"""Files of the installation are their owner's alone: 0600, folders 0700, whatever the umask."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077
"""The bits of a mode that give group and others anything."""

_given_umask = os.umask(OTHERS)
os.umask(_given_umask)


def make_private(folder: Path) -> None:
    """Make the state folder, and let this process make no file that others can read.

    A folder that others can enter may have been copied here: then all in it is shut first and the
    folder last, so that a shut folder is shut throughout. Raises `OSError` where the folder
    cannot be made.
    """
    os.umask(OTHERS)
    folder.mkdir(parents=True, exist_ok=True)
    if is_open(folder):
        for path in open_files(folder):
            shut(path)
        shut(folder)


def open_files(folder: Path) -> Iterator[Path]:
    """Everything below `folder` whose mode gives others anything; links are not followed."""
    for below, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(below, name)
            if is_open(path):
                yield path


def is_open(path: Path) -> bool:
    """Whether group or others may do anything with what lies here; no, where nothing does."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & OTHERS)


def shut(path: Path) -> None:
    """Take from others what the mode gives them. What is somebody else's stays."""
    with suppress(FileNotFoundError, PermissionError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & OTHERS:
            path.chmod(mode & ~OTHERS)


def give_usual_mode(path: Path) -> None:
    """A file that a person asked for, as `--out`: with the mode that their own umask gives."""
    path.chmod(0o666 & ~_given_umask)
