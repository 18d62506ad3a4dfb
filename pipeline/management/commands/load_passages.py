"""`manage.py load_passages`: a file of passages into a dataset, checked whole first."""

import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from pipeline import datasets
from pipeline.importing.passages import FORMATS
from pipeline.rarr.types import RarrError
from pipeline.staging import Check

MAX_NAME = 200


class Command(BaseCommand):
    help = (
        "Loads passages from a file into a dataset, which is made if there is none of that "
        "name. All rows are checked before one is written; rows that are there already are "
        "passed over, so loading a file twice adds nothing. docs/formats.md describes the "
        "formats. Exit status: 0 done, 1 some rows are wrong and nothing was written, 2 the "
        "file could not be read."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the file, in UTF-8")
        parser.add_argument(
            "--dataset", required=True, metavar="NAME", help="name or slug of the dataset"
        )
        parser.add_argument(
            "--format",
            default="auto",
            choices=["auto", *FORMATS],
            help="how the file is written; auto tells it from the content",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="only say what is new, the same and changed"
        )
        parser.add_argument(
            "--errors", type=Path, metavar="OUT.csv", help="write all errors to this file"
        )

    def handle(
        self,
        *,
        file: Path,
        dataset: str,
        format: str,  # noqa: A002
        dry_run: bool,
        errors: Path | None,
        **options: Any,
    ) -> None:
        refuse_long_name(dataset)
        found = datasets.find_dataset(dataset)
        with staging_folder() as folder:
            staged = folder / "rows.jsonl"
            with Bar("rows read") as bar:
                try:
                    check = datasets.check_passages(
                        found,
                        file,
                        format=format,
                        staged=None if dry_run else staged,
                        errors=errors,
                        progress=bar,
                    )
                except (RarrError, OSError) as error:
                    raise CommandError(str(error), returncode=2) from error
            refuse_errors(self, check, errors)
            self.stdout.write(f"{file.name}: {check}.")
            if dry_run:
                self.stdout.write("This was a dry run: nothing was written.")
                return
            into = found or datasets.create_dataset(name=dataset)
            with Bar("passages stored", total=check.rows) as bar:
                datasets.import_passages(into, staged, progress=bar)
        self.stdout.write(
            f"The dataset {into.name!r} ({into.slug}) now has {into.passage_count:,} passages."
        )


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
