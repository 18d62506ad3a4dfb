"""Files whose rows are known: the same bytes, read in the same way, are not read a second time.

What is kept of a file is a checksum of its rows. Whether a dataset holds these is asked of its
passages each time, so that it does not matter what was imported, changed or deleted meanwhile.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec
import pydantic
from django.utils import timezone

import pipeline
from pipeline.backends.answers import key_of
from pipeline.data.staging import Check, identity
from pipeline.models import Dataset, KeptAnswer


def reading_of(path: Path, *, format: str, columns: Mapping[str, str] | None) -> str:  # noqa: A002
    """A key of all that decides which rows a file gives; "" for what is no readable file."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:  # whoever reads it says why
        return ""
    how = {"suffix": path.suffix, "format": format, "columns": columns and dict(columns)}
    return key_of("file", sha256=digest, importer=_importer(), **how)


def count_known(reading: str, dataset: Dataset | None) -> int:
    """How many rows the file has, if it is known and the dataset holds just these; else 0."""
    kept = KeptAnswer.objects.filter(key=reading).first()
    if kept is None or dataset is None or not dataset.is_complete:
        return 0
    rows, checksum = json.loads(kept.value)
    stored = hashlib.sha256()
    passages = dataset.passages.order_by("pk").values_list("external_id", "content_hash")
    for passage in passages.iterator():
        stored.update(identity(*passage))
    return rows if stored.hexdigest() == checksum else 0


def remember(reading: str, check: Check) -> None:
    """Keep what a file's rows come to, if all are valid and an import would make nothing else."""
    if reading and check.checksum and not check.wrong:
        KeptAnswer.objects.update_or_create(
            key=reading,
            defaults={"value": json.dumps([check.rows, check.checksum]), "kept_at": timezone.now()},
        )


@cache
def _importer() -> str:
    """Changes with whatever makes rows of a file: our code, and what it stands on."""
    found = hashlib.sha256(f"{sys.version} {msgspec.__version__} {pydantic.VERSION}".encode())
    for path in sorted(Path(pipeline.__file__).parent.rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()
