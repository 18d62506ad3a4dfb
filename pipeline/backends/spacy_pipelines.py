"""Which spaCy pipelines are installed, read from their files: imports neither spaCy nor a model."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Installed:
    """A pipeline that `spacy.load` would find."""

    folder: Path
    """Its files; config.cfg is one of them."""
    version: str
    """As its meta.json says; "" where that says none."""


def installed(name: str) -> Installed | None:
    """The pipeline of a package's or a folder's name; None where there is none."""
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
    """What meta.json says; None where there is none, empty where it cannot be read."""
    try:
        content = (folder / "meta.json").read_bytes()
    except (OSError, ValueError):  # ValueError: no path at all
        return None
    try:
        meta = json.loads(content)
    except ValueError:
        return {}
    return meta if isinstance(meta, dict) else {}
