"""What `load_passages` and `load_corpus` do alike: stage, show progress, refuse."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from pipeline.staging import Check

MAX_NAME = 200


@contextmanager
def staging_folder() -> Iterator[Path]:
    """A folder for the staged rows, beside the other state: /tmp may be small."""
    beside = Path(settings.UPLOAD_DIR)
    beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="command-", dir=beside) as folder:
        yield Path(folder)


class Bar:
    """A progress bar on stderr where a person watches, silent elsewhere."""

    def __init__(self, noun: str, *, total: int | None = None) -> None:
        self._bar = tqdm(total=total, desc=noun, unit="", disable=not sys.stderr.isatty())

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def __call__(self, done: int) -> None:
        self._bar.update(done - self._bar.n)


def refuse_long_name(name: str) -> None:
    """Raise `CommandError` (status 2) for a name that the database cannot hold."""
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise CommandError(
            f"The name is blank, longer than {MAX_NAME} characters, or does not print: "
            "choose another.",
            returncode=2,
        )


def refuse_errors(command: BaseCommand, check: Check, errors: Path | None) -> None:
    """Tell the errors of a check; raises `CommandError` (status 1) when there are any."""
    for error in check.errors:
        command.stderr.write(str(error))
    if not check.wrong:
        return
    if check.wrong > len(check.errors):
        command.stderr.write(f"… and {check.wrong - len(check.errors):,} more.")
    where = f"All errors are in {errors}." if errors else "--errors OUT.csv writes them all down."
    noun = "error" if check.wrong == 1 else "errors"
    raise CommandError(
        f"Nothing was written: {check.wrong:,} {noun} ({check}). {where}", returncode=1
    )
