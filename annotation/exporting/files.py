"""An export on disk: the file and its manifest, whole or not at all."""

import json
import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from annotation.exporting.export import Export


class CannotWrite(Exception):
    """The file cannot be written there; says why and what to do."""


def manifest_path(out: Path) -> Path:
    """Where the manifest of `out` stands.

    >>> manifest_path(Path("labels.jsonl")).name
    'labels.jsonl.manifest.json'
    """
    return out.with_name(out.name + ".manifest.json")


def write_export(
    export: Export,
    *,
    out: Path,
    replace: bool = False,
    progress: Callable[[int], object] = lambda items: None,
) -> Path:
    """Write `export` to `out` and its manifest beside it; the manifest's path.

    Both are written under other names first, so that no reader ever finds half a file, and an
    export that fails leaves what stood there before. `progress` gets the items written so
    far. Raises `CannotWrite`.
    """
    manifest = manifest_path(out)
    check_free(out, replace=replace)
    mark = f".{uuid.uuid4().hex[:8]}.part"
    parts = {out: out.with_name(f".{out.name}{mark}")}
    parts[manifest] = manifest.with_name(f".{manifest.name}{mark}")
    try:
        with parts[out].open("xb") as file:
            for chunk in export.chunks():
                file.write(chunk)
                progress(export.counts.items)
            file.flush()
            os.fsync(file.fileno())
        text = json.dumps(export.manifest(file_name=out.name), ensure_ascii=False, indent=2)
        parts[manifest].write_text(text + "\n", encoding="utf-8")
        check_free(out, replace=replace)  # somebody may have been faster
        for target, part in parts.items():
            part.replace(target)
    except OSError as error:
        raise CannotWrite(f"{out} cannot be written: {_reason(error)}.") from error
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
    for path in (out, manifest_path(out)):
        if path.exists() and not replace:
            raise CannotWrite(f"{path} exists already: choose another name or add --force.")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
