"""A backup file: a ZIP with a manifest of the SHA-256 of each member.

The members are `database.sqlite3` or `database.dump`, and the content of `var/` below `files/`.
The manifest is written last, so that a truncated file has none and is refused.
"""

import hashlib
import json
import os
import zipfile
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path

from django.core.management.base import CommandError

FORMAT = 1
MANIFEST = "manifest.json"


class BackupError(CommandError):
    """A backup cannot be made or used; the message gives the reason and what to do."""

    def __init__(self, message: str, *, returncode: int = 2) -> None:
        super().__init__(message, returncode=returncode)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    made_at: str
    engine: str
    """`sqlite` or `postgresql`."""
    is_database_only: bool
    migrations: list[list[str]]
    """App and name of each applied one."""
    missing_indexes: list[str]
    """Folders of corpora that changed while they were copied."""
    members: dict[str, str] = field(default_factory=dict)
    """The SHA-256 of each file."""
    format: int = FORMAT


def write_archive(path: Path, manifest: Manifest, folder: Path) -> None:
    """Write all files below `folder` and the manifest into a private file, and sync it."""
    with path.open("xb") as file:
        path.chmod(0o600)
        with zipfile.ZipFile(
            file, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False
        ) as archive:
            for source in sorted(folder.rglob("*")):
                if source.is_file():
                    name = source.relative_to(folder).as_posix()
                    archive.write(source, name)
                    with source.open("rb") as content:
                        manifest.members[name] = hashlib.file_digest(content, "sha256").hexdigest()
            archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
        file.flush()
        os.fsync(file.fileno())


def check_archive(path: Path) -> Manifest:
    try:
        with zipfile.ZipFile(path) as archive:
            values = json.loads(archive.read(MANIFEST))
            if values.get("format") != FORMAT:
                raise BackupError(f"{path} was made by another version: restore it with that one.")
            manifest = Manifest(**values)
            if {*archive.namelist()} != {*manifest.members, MANIFEST}:
                raise BackupError(f"{path} does not have the files that its manifest lists.")
            for name, expected in manifest.members.items():
                with archive.open(name) as content:
                    if hashlib.file_digest(content, "sha256").hexdigest() != expected:  # type: ignore[arg-type]
                        raise BackupError(f"{path} is damaged: {name} has another checksum.")
    except FileNotFoundError:
        raise BackupError(f"There is no file {path}.") from None
    except KeyError:
        raise BackupError(f"{path} is not a backup of rarrweb: it has no {MANIFEST}.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, TypeError, ValueError) as error:
        raise BackupError(f"{path} is damaged ({error}). Use another backup.") from None
    return manifest
