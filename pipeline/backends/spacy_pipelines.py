"""Installed spaCy pipelines, by their files: imports neither spaCy nor a model."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Installed:
    """A pipeline for `spacy.load`."""

    folder: Path
    """Contains config.cfg."""
    version: str
    """From meta.json, or ""."""


def installed(name: str) -> Installed | None:
    """Return the pipeline of a package or folder, or None."""
    if name and (meta := _meta(Path(name))) is not None:
        return Installed(Path(name), str(meta.get("version", "")))
    spec = PathFinder.find_spec(name) if name.isidentifier() else None
    if not spec or not spec.origin:
        return None
    package = Path(spec.origin).parent
    if not (meta := _meta(package)):
        return None
    version = str(meta.get("version", ""))
    return Installed(package / f"{meta.get('lang')}_{meta.get('name')}-{version}", version)


def _meta(folder: Path) -> Mapping[str, object] | None:
    try:
        content = (folder / "meta.json").read_bytes()
    except (OSError, ValueError):  # ValueError: not a path
        return None
    try:
        meta = json.loads(content)
    except ValueError:
        return {}
    return meta if isinstance(meta, dict) else {}
