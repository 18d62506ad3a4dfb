"""`manage.py import_judgments`: raters' answers from elsewhere into a campaign."""

from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.template.defaultfilters import pluralize

from annotation.judging.imports import check_judgments, import_judgments
from annotation.judging.judgment_files import FIELDS, MAX_REPORTED
from annotation.models import Campaign, Item
from pipeline.importing.rows import UnreadableFile
from pipeline.management.base import LoadCommand, add_options


class Command(LoadCommand):
    help = (
        "Imports judgments from CSV, JSON or Parquet, one answer a row, into an open campaign. "
        "Its raters become accounts that cannot log in. All rows are checked before one is "
        "written; importing a file twice adds nothing. Fields: "
        f"{', '.join(FIELDS)}; docs/importing-judgments.md describes them. Exit status: 0 done, 1 "
        "some rows are invalid (nothing was written, unless --skip-invalid imported the others), "
        "2 could not run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the SLUG in /campaigns/SLUG/")
        parser.add_argument("file", type=Path, help="the file")
        parser.add_argument(
            "--use",
            default="",
            choices=Item.Use.values,
            help="import right answers of training or gold items in place of raters' judgments",
        )
        add_options(parser, "--map", "--encoding", "--delimiter", "--no-header")
        add_options(parser, "--skip-invalid", "--dry-run")

    def work(self, options: dict[str, Any]) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']!r}.", returncode=2)
        reading = {"use": options["use"], **self.reading(options, FIELDS)}
        read = partial(import_judgments, by=None, skip_invalid=options["skip_invalid"])
        if options["dry_run"]:
            read = partial(check_judgments)
        try:
            file = read(campaign, options["file"], **reading)
        except UnreadableFile as error:
            raise CommandError(str(error), returncode=2) from error
        for each in file.errors[:MAX_REPORTED]:
            self.stderr.write(each.in_command)
        wrong = len(file.errors)
        if wrong and not (options["skip_invalid"] and file.has_valid_rows):
            where = " --skip-invalid imports the valid rows." if file.has_valid_rows else ""
            raise CommandError(
                f"Nothing was written: {wrong:,} error{pluralize(wrong)}.{where}", returncode=1
            )
        self.skipped = wrong
        for rater, criterion, answers in file.counts:
            self.stdout.write(f"{rater or 'right answers'}: {criterion} {answers:,}")
        done = "Valid, and nothing was written" if options["dry_run"] else "Imported"
        self.stdout.write(f"{done}: {file}.")
        if file.unused:
            self.stdout.write(f"Columns not used: {', '.join(file.unused)}.")
