"""Which files a `transformers` model was loaded from, so that a run can say what made its figures.

A name such as google/flan-t5-base stands for whatever its author uploaded last; the commit does
not. What was downloaded is looked up in the library's own cache (`transformers` 5 keeps no commit
in a model's configuration): no network, and no model loaded.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

PREFIXES = ("hf:", "minicheck:")
_CONFIG = "config.json"
_SNAPSHOT = re.compile(r"/snapshots/([0-9a-f]{40})/")


def revision_of(name: str) -> str:
    """ "commit HEX" of a downloaded model, "config sha256 HEX" of a folder; "" where unknown.

    `name` is as in `hf:NAME_OR_PATH`, without the prefix; names of labels behind # are no part
    of it. A model that was never loaded here is unknown. Reads small files; never raises.
    """
    name = name.partition("#")[0]
    if Path(name).is_dir():
        return _of_folder(Path(name))
    return _of_download(name)


def revisions_of(names: Iterable[object]) -> dict[str, str]:
    """What is known of each local model among the values of a configuration, for a run's versions.

    A key is "hf:NAME_OR_PATH", "minicheck:NAME_OR_PATH"; models that are unknown here are left out.
    """
    models = {
        name.partition("#")[0]
        for name in names
        if isinstance(name, str) and name.startswith(PREFIXES)
    }
    found = {name: revision_of(name.partition(":")[2]) for name in sorted(models)}
    return {name: revision for name, revision in found.items() if revision}


def _of_folder(folder: Path) -> str:
    try:
        return f"config sha256 {hashlib.sha256((folder / _CONFIG).read_bytes()).hexdigest()}"
    except OSError:
        return ""


def _of_download(name: str) -> str:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(name, _CONFIG)
    except (HFValidationError, OSError):
        return ""  # a path to a folder that is not there
    snapshot = _SNAPSHOT.search(Path(found).as_posix()) if isinstance(found, str) else None
    return f"commit {snapshot[1]}" if snapshot else ""
