"""`manage.py import_judgments`: raters' answers from elsewhere into a campaign."""

from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.judging.imports import check_judgments, import_judgments
from annotation.judging.judgment_files import FIELDS, MAX_REPORTED
from annotation.models import Campaign, Item
from pipeline.importing.rows import UnreadableFile
from pipeline.management.base import add_options


class Command(BaseCommand):
    help = (
        "Imports judgments from a CSV or JSON Lines file, one answer a row, into an open campaign. "
        "Its raters become accounts that cannot log in. All rows are checked before one is "
        "written; importing a file twice adds nothing. Fields: "
        f"{', '.join(FIELDS)}; docs/importing-judgments.md describes them. Exit status: 0 done, 1 "
        "some rows are wrong and nothing was written, 2 could not run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the SLUG in /campaigns/SLUG/")
        parser.add_argument("file", type=Path, help="the file, in UTF-8")
        parser.add_argument(
            "--use",
            default="",
            choices=Item.Use.values,
            help="import right answers of training or gold items in place of raters' judgments",
        )
        add_options(parser, "--map", "--dry-run")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']!r}.", returncode=2)
        columns = dict(each.split("=", 1) for each in options["map"] if "=" in each)
        if len(columns) < len(options["map"]) or columns.keys() - FIELDS.keys():
            known = ", ".join(FIELDS)
            raise CommandError(
                f"--map: write FIELD=COLUMN once a field, where FIELD is one of {known}.",
                returncode=2,
            )
        try:
            read = check_judgments if options["dry_run"] else partial(import_judgments, by=None)
            file = read(campaign, options["file"], columns=columns, use=options["use"])
        except UnreadableFile as error:
            raise CommandError(str(error), returncode=2) from error
        for each in file.errors[:MAX_REPORTED]:
            self.stderr.write(str(each))
        if file.errors:
            raise CommandError(
                f"Nothing was written: {len(file.errors):,} error{'s' * (len(file.errors) > 1)}.",
                returncode=1,
            )
        for rater, criterion, answers in file.counts:
            self.stdout.write(f"{rater or 'right answers'}: {criterion} {answers:,}")
        done = "Valid, and nothing was written" if options["dry_run"] else "Imported"
        self.stdout.write(f"{done}: {file}.")
        if file.unused:
            self.stdout.write(f"Columns not used: {', '.join(file.unused)}.")
