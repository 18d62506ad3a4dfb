"""One file with a whole installation in it: a ZIP of members, and a manifest with their sums.

The members are `database.sqlite3` or `database.dump`, and below `files/` what lies in the state
folder. The manifest is written last, so a file that was cut off has none and is refused.
"""

import hashlib
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec

from rarrweb.backups.refusals import Refused

FORMAT = 1
MANIFEST = "manifest.json"
CHUNK = 1 << 20


class Member(msgspec.Struct, frozen=True):
    """A file of the archive."""

    size: int
    sha256: str


class Table(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a table held: its rows, and on PostgreSQL a sum over all of them."""

    rows: int
    digest: str = ""


class Manifest(msgspec.Struct, kw_only=True):
    """What is in an archive, of when and of which version."""

    format: int = FORMAT
    made_at: str
    engine: str
    """`sqlite` or `postgresql`."""
    server: str
    """The version of the database that was copied."""
    is_database_only: bool
    migrations: list[tuple[str, str]]
    """(app, name) of those that were applied."""
    tables: dict[str, Table]
    members: dict[str, Member] = {}
    left_out: list[str] = []
    """What could not be copied, and what brings it back; a plain sentence each."""

    @property
    def row_count(self) -> int:
        return sum(table.rows for table in self.tables.values())


def write_archive(path: Path, manifest: Manifest, members: Mapping[str, Path]) -> None:
    """Write the files and then the manifest with their sums; `path` is on the disk at the end."""
    with path.open("xb") as out:
        path.chmod(0o600)
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, source in members.items():
                info = zipfile.ZipInfo(name)
                # A dump of PostgreSQL is compressed already.
                info.compress_type = (
                    zipfile.ZIP_STORED if source.suffix == ".dump" else zipfile.ZIP_DEFLATED
                )
                with source.open("rb") as read, archive.open(info, "w", force_zip64=True) as to:
                    manifest.members[name] = copy_and_sum(read, to.write)
            archive.writestr(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        out.flush()
        os.fsync(out.fileno())


def extract_archive(path: Path, folder: Path) -> Manifest:
    """Write all members below `folder`, each compared with its sum.

    Raises `Refused` where the file is no whole archive of a format that this version reads.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _read_manifest(archive, path)
            names = [info.filename for info in archive.infolist() if info.filename != MANIFEST]
            if sorted(names) != sorted(manifest.members):
                raise Refused(f"{path} holds other files than its manifest says. Take another.")
            for name, expected in manifest.members.items():
                target = folder / _safe(name, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(name) as read, target.open("xb") as to:
                    found = copy_and_sum(read, to.write)
                    to.flush()
                    os.fsync(to.fileno())
                if found != expected:
                    raise Refused(f"{path} is damaged: {name} is not what was copied.")
    except FileNotFoundError as error:
        raise Refused(f"There is no file {error.filename or path}.") from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, msgspec.MsgspecError) as error:
        raise Refused(
            f"{path} is no whole backup ({error}). Take another copy of it, or another backup."
        ) from None
    return manifest


def _read_manifest(archive: zipfile.ZipFile, path: Path) -> Manifest:
    try:
        text = archive.read(MANIFEST)
    except KeyError:
        raise Refused(f"{path} has no {MANIFEST}: it is no backup of rarrweb.") from None
    manifest = msgspec.json.decode(text, type=Manifest)
    if manifest.format != FORMAT:
        raise Refused(
            f"{path} has format {manifest.format}, this version reads {FORMAT}: restore it with "
            "the version that made it."
        )
    return manifest


def _safe(name: str, path: Path) -> PurePosixPath:
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts or "\\" in name:
        raise Refused(f"{path} names {name!r}, which leads out of the state folder.")
    return parts


def copy_and_sum(read: IO[bytes], write: Callable[[bytes], object]) -> Member:
    """Hand all of `read` to `write`, and say how much it was and its sum."""
    digest, size = hashlib.sha256(), 0
    while chunk := read.read(CHUNK):
        digest.update(chunk)
        size += len(chunk)
        write(chunk)
    return Member(size=size, sha256=digest.hexdigest())
