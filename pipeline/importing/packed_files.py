"""Files of a folder or a ZIP archive, read without unpacking to disk."""

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from pipeline.importing.lines import check_readable
from pipeline.importing.rows import Fault

MAX_ARCHIVE_BYTES = 8_000_000_000
"""Unpacked, all files together."""
MAX_ARCHIVE_FILES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedFile:
    name: str
    """With its folder, but no way out of the archive."""
    open: Callable[[], IO[bytes]]
    part: str = ""
    """Its name, if it is one of several files of records."""
    info: zipfile.ZipInfo | None = None
    """None in a folder."""

    @property
    def unpacked_bytes(self) -> int:
        """As the archive declares; 0 in a folder."""
        return self.info.file_size if self.info else 0

    def read(self, limit: int) -> bytes:
        """Raises `Fault`."""
        if self.info:
            _refuse(self.info)
        try:
            with self.open() as file:
                return file.read(limit)
        except Exception as error:
            if self.info:  # zipfile raises undocumented errors
                fix = "pack the archive again, as an ordinary ZIP"
                raise Fault("the file cannot be unpacked", fix) from None
            if isinstance(error, OSError):
                reason = (error.strerror or str(error)).lower()
                raise Fault(f"the file cannot be read: {reason}", "check its permissions") from None
            raise


def _refuse(info: zipfile.ZipInfo) -> None:
    if info.flag_bits & 1:
        raise Fault("the file is encrypted", "pack the archive again, without a password")
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        # The others unpack whole blocks at once, of any size.
        fix = "pack the archive again by Deflate, the ordinary method"
        raise Fault("it is packed in a way that is not read here", fix)


def refuse_large(unpacked: int) -> None:
    if unpacked > MAX_ARCHIVE_BYTES:
        problem = f"the archive holds more than {MAX_ARCHIVE_BYTES // 1_000_000_000} GB"
        raise Fault(problem, "split it into several archives")


def file_at(path: Path, *, name: str = "") -> PackedFile:
    return PackedFile(name=name or path.name, open=lambda: path.open("rb", buffering=1_000_000))


@contextmanager
def files_of(path: Path) -> Iterator[list[PackedFile]]:
    """List the files of a folder (recursive) or a ZIP archive by path, without hidden ones.

    Raises `Fault` for a damaged archive, or too many files.
    """
    if path.is_dir():
        # rglob follows no links to folders, so there are no loops.
        paths = sorted(each for each in path.rglob("*") if each.is_file())
        files = [file_at(each, name=each.relative_to(path).as_posix()) for each in paths]
        yield [each for each in files if not _is_hidden(each)]
        return
    try:
        archive = zipfile.ZipFile(path)
    except Exception:  # noqa: BLE001 - undocumented errors
        raise Fault(
            "the ZIP archive is damaged, or of a kind that is not read here",
            "pack it again, as an ordinary ZIP",
        ) from None
    with archive:
        if len(archive.infolist()) > MAX_ARCHIVE_FILES:
            problem = f"the archive holds more than {MAX_ARCHIVE_FILES:,} files"
            raise Fault(problem, "split it into several archives")
        files = [
            PackedFile(name=_name(info), open=partial(archive.open, info), info=info)
            for info in sorted(archive.infolist(), key=lambda info: info.filename)
            # `info.is_dir()` fails for an empty name in some Pythons.
            if not info.filename.endswith("/")
        ]
        yield [each for each in files if each.name and not _is_hidden(each)]


def _name(info: zipfile.ZipInfo) -> str:
    parts = PurePosixPath(info.filename.replace("\\", "/")).parts
    return "/".join(part for part in parts if part not in {"/", ".."})


def _is_hidden(file: PackedFile) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in file.name.split("/"))


def is_archive(path: Path) -> bool:
    """Return whether a file begins as a ZIP archive. Raises `UnreadableFile`."""
    check_readable(path)
    with path.open("rb") as file:
        return file.read(4) in {b"PK\x03\x04", b"PK\x05\x06"}


def unpacked_bytes(path: Path) -> int:
    """Return a ZIP archive's declared unpacked size; 0 for any other file."""
    try:
        with zipfile.ZipFile(path) as archive:
            return sum(info.file_size for info in archive.infolist())
    except Exception:  # noqa: BLE001 - reading it raises again
        return 0
