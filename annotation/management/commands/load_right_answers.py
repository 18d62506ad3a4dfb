"""`manage.py load_right_answers`: training items and gold items from a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Campaign, Item
from annotation.quality.reference_answers_jsonl import check_file, take
from pipeline.importing.rows import UnreadableFile

ERRORS_SHOWN = 50


class Command(BaseCommand):
    help = (
        "Makes items of a campaign training or gold by a file of right answers, JSON lines as "
        "docs/training-and-gold.md has them. Every line is checked before one is taken; the same "
        "file twice changes nothing. Exit status: 0 done, 1 a line was wrong and nothing was "
        "taken, 2 could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--campaign", required=True, metavar="SLUG", help="the SLUG in /campaigns/SLUG/"
        )
        parser.add_argument(
            "--use",
            choices=Item.Use.values,
            default=Item.Use.GOLD.value,
            help="use of lines that do not name one (default: gold)",
        )
        parser.add_argument("--dry-run", action="store_true", help="check only, write nothing")

    def handle(self, *, file: Path, campaign: str, use: str, dry_run: bool, **options: Any) -> None:
        found = Campaign.objects.filter(slug=campaign).first()
        if found is None:
            raise CommandError(
                f"There is no campaign {campaign!r}: its slug stands in its address.", returncode=2
            )
        try:
            rows, errors = check_file(file, campaign=found, use=use)
        except UnreadableFile as error:
            raise CommandError(str(error), returncode=2) from None
        for wrong in errors[:ERRORS_SHOWN]:
            self.stderr.write(str(wrong))
        if errors:
            more = f", {len(errors) - ERRORS_SHOWN:,} of them not shown" * (
                len(errors) > ERRORS_SHOWN
            )
            raise CommandError(
                f"{len(errors):,} wrong line{'' if len(errors) == 1 else 's'}{more}: "
                "nothing was taken.",
                returncode=1,
            )
        if not dry_run:
            take(rows, by=None)
        count = f"{len(rows):,} item{'' if len(rows) == 1 else 's'}"
        self.stdout.write(f"{count} {'would come' if dry_run else 'came'} into use.")
