"""An export on disk: the file, its schema and its manifest, whole or not at all."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from annotation.exporting.export import SCHEMA_SUFFIX
from rarrweb.private_files import give_usual_mode
from rarrweb.streamed import MANIFEST_SUFFIX


class CannotWrite(Exception):
    """The file cannot be written there; says why and what to do."""


class Exported(Protocol):
    """A campaign's `Export`, or a dataset's or run's `pipeline.runs.line_files.LineFile`."""

    @property
    def items(self) -> int: ...
    def chunks(self) -> Iterator[bytes]: ...
    def schema(self) -> bytes:
        """Empty where the format has none."""
        ...

    def manifest_text(self, *, file_name: str = "") -> str: ...


def beside(out: Path, suffix: str) -> Path:
    """Where the manifest or the schema of the export `out` stands.

    >>> beside(Path("labels.jsonl"), MANIFEST_SUFFIX).name
    'labels.jsonl.manifest.json'
    """
    return out.with_name(out.name + suffix)


def write_export(
    export: Exported,
    *,
    out: Path,
    replace: bool = False,
    progress: Callable[[int], object] = lambda items: None,
) -> Path:
    """Write `export` to `out`, its schema and its manifest beside it; the manifest's path.

    All are written under other names first, so that no reader ever finds half a file, and a
    failed export leaves the old files in place. `progress` gets the number of items written so
    far. Raises `CannotWrite`.
    """
    schema, manifest = beside(out, SCHEMA_SUFFIX), beside(out, MANIFEST_SUFFIX)
    check_free(out, replace=replace)
    mark = f".{uuid.uuid4().hex[:8]}.part"
    written = [out, schema, manifest] if export.schema() else [out, manifest]
    parts = {path: path.with_name(f".{path.name}{mark}") for path in written}
    try:
        with parts[out].open("xb") as file:
            for chunk in export.chunks():
                file.write(chunk)
                progress(export.items)
            file.flush()
            os.fsync(file.fileno())
        if schema in parts:
            parts[schema].write_bytes(export.schema())
        parts[manifest].write_text(export.manifest_text(file_name=out.name), encoding="utf-8")
        check_free(out, replace=replace)  # somebody may have been faster
        for target, part in parts.items():
            give_usual_mode(part)
            part.replace(target)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CannotWrite(f"{out} cannot be written: {reason}.") from error
    finally:
        for part in parts.values():
            with suppress(OSError):
                part.unlink(missing_ok=True)
    return manifest


def check_free(out: Path, *, replace: bool) -> None:
    """Raise `CannotWrite` where `out` is a folder, or a file is in the way, or no folder is."""
    if out.is_dir():
        raise CannotWrite(f"{out} is a folder: name a file.")
    if not out.parent.is_dir():
        raise CannotWrite(f"There is no folder {out.parent}: make it first.")
    for path in (out, beside(out, SCHEMA_SUFFIX), beside(out, MANIFEST_SUFFIX)):
        if path.exists() and not replace:
            raise CannotWrite(f"{path} exists already: choose another name or add --force.")
