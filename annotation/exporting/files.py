"""Write an export to disk: file, schema and manifest, whole or not at all."""

import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from annotation.exporting.export import SCHEMA_SUFFIX, Export
from pipeline.data.splits import Part
from pipeline.runs.line_files import LineFile
from rarrweb.private_files import apply_umask
from rarrweb.web.streaming import MANIFEST_SUFFIX, digest, manifest_text

PER_FILE_KEYS = ("file", "bytes", "sha256", "counts", "ties", "excluded", "files")
"""Keys of a manifest that describe one file."""


class CannotWrite(Exception):
    """The file cannot be written; the message says why and what to do."""


Exported = Export | LineFile


def companion(out: Path, suffix: str) -> Path:
    """Return the path of the manifest or schema of the export `out`.

    >>> companion(Path("labels.jsonl"), MANIFEST_SUFFIX).name
    'labels.jsonl.manifest.json'
    """
    return out.with_name(out.name + suffix)


@contextmanager
def whole_files(*targets: Path, out: Path) -> Iterator[dict[Path, Path]]:
    """Yield temporary paths, by target; they replace the targets unless anything fails.

    Raises `CannotWrite`.
    """
    mark = f".{uuid.uuid4().hex[:8]}.part"
    parts = {path: path.with_name(f".{path.name}{mark}") for path in targets}
    try:
        yield parts
        for target, part in parts.items():
            apply_umask(part)
            part.replace(target)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CannotWrite(f"{out} cannot be written: {reason}.") from error
    finally:
        for part in parts.values():
            with suppress(OSError):
                part.unlink(missing_ok=True)


def write_synced(path: Path, chunks: Iterable[bytes]) -> None:
    with path.open("xb") as file:
        file.writelines(chunks)
        file.flush()
        os.fsync(file.fileno())


def write_exports(
    exports: Mapping[Path, Exported],
    *,
    out: Path,
    replace: bool = False,
    progress: Callable[[int], object] = lambda items: None,
) -> Path:
    """Write the export, or the parts of a split, to paths; return the manifest's path.

    A failed export leaves old files. `progress` gets the number of items so far. Raises
    `CannotWrite`.
    """
    schema, manifest = companion(out, SCHEMA_SUFFIX), companion(out, MANIFEST_SUFFIX)
    check_free(out, *exports, replace=replace)
    fields = next(iter(exports.values())).schema()
    targets = [*exports, schema, manifest] if fields else [*exports, manifest]
    done = 0
    with whole_files(*targets, out=out) as parts:
        for path, export in exports.items():
            write_synced(parts[path], counted_chunks(export, done, progress))
            done += export.items
        if fields:
            parts[schema].write_bytes(fields)
        manifests = joined_manifest(
            {path.name: export for path, export in exports.items()}, schema.name
        )
        parts[manifest].write_text(manifest_text(manifests), encoding="utf-8")
        check_free(out, *exports, replace=replace)  # somebody may have been faster
    return manifest


def counted_chunks(
    export: Exported, before: int, progress: Callable[[int], object]
) -> Iterator[bytes]:
    for chunk in export.chunks():
        yield chunk
        progress(before + export.items)


def joined_manifest(exports: Mapping[str, Exported], schema: str) -> dict[str, Any]:
    """Return one manifest for all files; of a split, `parts` has the differences."""
    manifests = {name: export.manifest(file_name=name) for name, export in exports.items()}
    first = next(iter(exports.values()))
    shared = next(iter(manifests.values()))
    if first.part is None:
        return shared
    keys = [name for name in PER_FILE_KEYS[:-1] if name in shared]
    parts = {
        manifest["split"]["part"]: {name: manifest[name] for name in keys}
        for manifest in manifests.values()
    }
    files = [
        {"name": name, "bytes": manifest["bytes"], "sha256": manifest["sha256"]}
        for name, manifest in manifests.items()
    ]
    if first.schema():
        files.append({"name": schema, **digest(first.schema())})
    rest = {name: value for name, value in shared.items() if name not in PER_FILE_KEYS}
    split = {name: value for name, value in rest["split"].items() if name != "part"}
    return rest | {"files": files, "split": split, "parts": parts}


def part_path(out: Path, part: Part) -> Path:
    """Return the path of a part of the export `out`.

    >>> part_path(Path("labels.jsonl"), Part(name="dev", dev=0.1)).name
    'labels.dev.jsonl'
    """
    return out.with_name(f"{out.stem}.{part.name}{out.suffix}")


def check_free(*paths: Path, replace: bool) -> None:
    """Raise `CannotWrite` unless each path is free, in an existing folder."""
    for out in paths:
        if out.is_dir():
            raise CannotWrite(f"{out} is a folder: name a file.")
        if not out.parent.is_dir():
            raise CannotWrite(f"There is no folder {out.parent}: make it first.")
        for path in (out, companion(out, SCHEMA_SUFFIX), companion(out, MANIFEST_SUFFIX)):
            if path.exists() and not replace:
                raise CannotWrite(f"{path} exists already: choose another name or add --force.")
