"""Commits and files of `transformers` models: names do not fix files."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

PREFIXES = ("hf:", "minicheck:")
_CONFIG = "config.json"
_SNAPSHOT = re.compile(r"/snapshots/([0-9a-f]{40})/")


def revision_of(name: str) -> str:
    """Return "commit HEX" of a download, "config sha256 HEX" of a folder, or "".

    `name` is that of `hf:NAME_OR_PATH`; labels behind # are ignored. Never raises.
    """
    name = name.partition("#")[0]
    if not (folder := Path(name)).is_dir():
        return _of_download(name)
    try:
        return f"config sha256 {hashlib.sha256((folder / _CONFIG).read_bytes()).hexdigest()}"
    except OSError:
        return ""


def revisions_of(names: Iterable[object]) -> dict[str, str]:
    """Return known revisions of the local models in a configuration's values, by value."""
    models = {
        name.partition("#")[0]
        for name in names
        if isinstance(name, str) and name.startswith(PREFIXES)
    }
    cached = {name: revision_of(name.partition(":")[2]) for name in sorted(models)}
    return {name: revision for name, revision in cached.items() if revision}


def files_stamp(folder: Path) -> str:
    """Return a digest of a folder's file names, sizes and times, or ""."""
    if not folder.is_dir():
        return ""
    digest = hashlib.sha256()
    for path in sorted(each for each in folder.iterdir() if each.is_file()):
        facts = path.stat()
        digest.update(f"{path.name}\0{facts.st_size}\0{facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def _of_download(name: str) -> str:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        cached = try_to_load_from_cache(name, _CONFIG)
    except (HFValidationError, OSError):
        return ""  # a missing folder
    snapshot = _SNAPSHOT.search(Path(cached).as_posix()) if isinstance(cached, str) else None
    return f"commit {snapshot[1]}" if snapshot else ""
