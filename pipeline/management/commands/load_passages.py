"""`manage.py load_passages`: a file of passages into a dataset, checked whole first."""

import shlex
from collections.abc import Collection
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from pipeline.data import datasets
from pipeline.data.slugs import find_named
from pipeline.data.staging import Check
from pipeline.importing.columns import IGNORED, METADATA, PASSAGE_FIELDS, roles_of
from pipeline.importing.passages import FORMATS, FileShape, inspect_file
from pipeline.importing.rows import Fault
from pipeline.management.base import LoadCommand, add_options, refuse_bad_name
from pipeline.models import Dataset, Run
from pipeline.rarr.errors import RarrError
from pipeline.runs.imported import MAX_SYSTEM, is_system_name


class Command(LoadCommand):
    help = (
        "Loads passages from a file into a dataset, which is made if there is none of that "
        "name. All rows are checked before one is written; unchanged rows are "
        "skipped, so loading a file twice adds nothing. docs/formats.md describes the "
        "formats. Exit status: 0 done, 1 some rows are invalid (nothing was written, unless "
        "--skip-invalid imported the others), 2 the file could not be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            help="JSON in any layout, CSV, Parquet, plain text, or a ZIP of these",
        )
        add_options(parser, "--dataset")
        parser.add_argument(
            "--format",
            default="auto",
            choices=["auto", *FORMATS],
            help="file format; auto detects it",
        )
        parser.add_argument(
            "--system",
            default="",
            metavar="NAME",
            help="the system whose revisions the file holds, for lines that the RARR program or a "
            "run wrote: they become a finished run; default what the lines say, or imported",
        )
        parser.add_argument(
            "--dialog",
            action="store_true",
            help="lines of a context without speakers' names are turns of a dialog, the last one "
            "the user's, as they are where a record has turns",
        )
        super().add_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        file, dataset, system = options["file"], options["dataset"], options["system"]
        form = options["format"]
        refuse_bad_name(dataset)
        if system and not is_system_name(system):
            raise CommandError(
                f"--system {system!r}: write a name of at most {MAX_SYSTEM} visible characters, "
                f"without spaces around it, and not {Run.UNREVISED}.",
                returncode=2,
            )
        reading = {**self.reading(options, [*PASSAGE_FIELDS, IGNORED]), "format": form}
        reading["dialog"] = options["dialog"]
        given = [each.partition("=") for each in options["map"]]
        ignored = [column for field, _, column in given if field == IGNORED]
        shape = None
        with suppress(Fault, RarrError):  # reading gives the error
            shape = inspect_file(file, **reading)
            form = shape.format
        existing = find_named(Dataset, dataset)
        origin = cache(partial(datasets.Origin.of, file, system=system))
        into = self.load(
            file,
            options,
            bars=("rows read", "passages stored"),
            check=partial(
                datasets.check_passages,
                existing,
                reading={**reading, "ignored": ignored},
            ),
            find_or_create=lambda: existing or datasets.create_dataset(name=dataset),
            store=lambda into, staged, progress: datasets.import_passages(
                into, staged, progress=progress, origin=origin()
            ),
            report=partial(self._report, shape, ignored),
        )
        if into:
            self.stdout.write(
                f"The dataset {into.name!r} ({into.slug}) now has {into.passage_count:,} passages."
            )
            # Of files of contexts every passage, of others those with a URL for a source.
            sources = into.passages.values_list("source", flat=True).iterator(500)
            missing = (each for each in sources if not each.with_text)
            if without := sum(form == "contexts" or bool(each.addresses) for each in missing):
                self.stdout.write(
                    f"{without:,} of them came without the text of any source: there is nothing "
                    "to judge these against."
                )
            runs = Run.objects.filter(dataset=into, config__file__sha256=origin().sha256)
            if run := runs.first():
                self.stdout.write(
                    f"The revisions that came with {run.passage_count:,} of them are run {run.pk}, "
                    f"by {run.system}."
                )

    def _report(self, shape: FileShape | None, ignored: Collection[str], check: Check) -> None:
        """Print how the file is read, and the long texts that no field reads."""
        if shape is None:
            return
        roles = roles_of(
            shape.columns, names=shape.names, sources=shape.sources, ignored=ignored, other=METADATA
        )
        read = [f"{role}={name}" for name, role in roles.items() if role not in {METADATA, IGNORED}]
        self.stdout.write(f"Format {' '.join([shape.format, *read])}.")
        unread = ", ".join(name for name in shape.unread_texts if name not in ignored)
        if shape.format == "questions":
            counted = f"{check.valid:,} question{'s' * (check.valid != 1)} without answers"
            self.stdout.write(f"{counted}; not used: {unread}." if unread else f"{counted}.")
        elif unread:
            self.stdout.write(f"Long texts that nothing uses, kept as metadata: {unread}.")
        if shape.format == "questions" and not shape.is_sure:
            text = shlex.quote(f"text={shape.unread_texts[0]}")
            raise CommandError(
                f"Nothing was written: add --map {text} if it holds the answers, or --format "
                "questions if there are none.",
                returncode=1,
            )
