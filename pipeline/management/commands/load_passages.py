"""`manage.py load_passages`: a file of passages into a dataset, checked whole first."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pipeline import datasets
from pipeline.importing.passages import FORMATS
from pipeline.management.loading import Bar, refuse_errors, refuse_long_name, staging_folder
from pipeline.rarr.types import RarrError


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
