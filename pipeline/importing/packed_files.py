"""The files of a folder or a ZIP archive, read in place: nothing is unpacked to disk."""

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
"""The files of a ZIP archive together, unpacked."""
MAX_ARCHIVE_FILES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedFile:
    """One file, wherever it lies."""

    name: str
    """With its folder, but no way out of the archive."""
    open: Callable[[], IO[bytes]]
    info: zipfile.ZipInfo | None = None
    """What the archive says of it; None in a folder."""

    @property
    def unpacked_bytes(self) -> int:
        """As the archive says; 0 in a folder."""
        return self.info.file_size if self.info else 0

    def read(self, limit: int) -> bytes:
        """At most so many bytes from the beginning. Raises `Fault`."""
        if self.info:
            _refuse(self.info)
        try:
            with self.open() as file:
                return file.read(limit)
        except Exception as error:
            if self.info:  # zipfile does not document all that it raises
                fix = "pack the archive again, as an ordinary ZIP"
                raise Fault("the file cannot be unpacked", fix) from None
            if isinstance(error, OSError):
                reason = (error.strerror or str(error)).lower()
                raise Fault(f"the file cannot be read: {reason}", "check its permissions") from None
            raise


def _refuse(info: zipfile.ZipInfo) -> None:
    """Raise `Fault` for a file of an archive that is encrypted, or packed in another way."""
    if info.flag_bits & 1:
        raise Fault("the file is encrypted", "pack the archive again, without a password")
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        # The others unpack whole blocks at once, however many gigabytes come out of one.
        fix = "pack the archive again by Deflate, the ordinary method"
        raise Fault("it is packed in a way that is not read here", fix)


def refuse_large(unpacked: int) -> None:
    """Raise `Fault` where so many bytes are too many for an archive."""
    if unpacked > MAX_ARCHIVE_BYTES:
        problem = f"the archive holds more than {MAX_ARCHIVE_BYTES // 1_000_000_000} GB"
        raise Fault(problem, "split it into several archives")


def file_at(path: Path, *, name: str = "") -> PackedFile:
    """A file that lies by itself or in a folder."""
    return PackedFile(name=name or path.name, open=lambda: path.open("rb"))


@contextmanager
def files_of(path: Path) -> Iterator[list[PackedFile]]:
    """The files of a folder, with its sub-folders, or of a ZIP archive, but the hidden ones.

    They are sorted by their paths. Raises `Fault` for an archive that is damaged, or has too many.
    """
    if path.is_dir():
        # rglob does not follow links to folders, so a loop of links ends.
        paths = sorted(each for each in path.rglob("*") if each.is_file())
        files = [file_at(each, name=each.relative_to(path).as_posix()) for each in paths]
        yield [each for each in files if not _is_hidden(each)]
        return
    try:
        archive = zipfile.ZipFile(path)
    except Exception:  # noqa: BLE001 - zipfile does not document all that it raises
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
            # Not `info.is_dir()`, which some Pythons cannot answer for an empty name.
            if not info.filename.endswith("/")
        ]
        yield [each for each in files if each.name and not _is_hidden(each)]


def _name(info: zipfile.ZipInfo) -> str:
    parts = PurePosixPath(info.filename.replace("\\", "/")).parts
    return "/".join(part for part in parts if part not in {"/", ".."})


def _is_hidden(file: PackedFile) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in file.name.split("/"))


def is_archive(path: Path) -> bool:
    """Whether it is a ZIP archive, by its first bytes. Raises `UnreadableFile`."""
    check_readable(path)
    with path.open("rb") as file:
        return file.read(4) in {b"PK\x03\x04", b"PK\x05\x06"}


def unpacked_bytes(path: Path) -> int:
    """The unpacked size of a ZIP archive's files, as it says itself; 0 for any other file."""
    try:
        with zipfile.ZipFile(path) as archive:
            return sum(info.file_size for info in archive.infolist())
    except Exception:  # noqa: BLE001 - reading it tells what is wrong
        return 0
