"""Take all rows of an SQLite database into an empty PostgreSQL."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from rarrweb.backups.archive import BackupError
from rarrweb.backups.transfer import transfer


class Command(BaseCommand):
    help = (
        "Copies all rows of an SQLite file into the empty PostgreSQL that DATABASE_URL names, in "
        "one transaction, and compares each table by a sum over its rows. Stop web and workers, "
        "set DATABASE_URL, and run `migrate` first. SQLite's file stays as it is. "
        "Exit status: 0 done, 2 could not run; then PostgreSQL has no row more than before."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "source",
            type=Path,
            nargs="?",
            default=settings.VAR_DIR / "db.sqlite3",
            help="SQLite's file; default RARR_VAR/db.sqlite3",
        )

    def handle(self, *, source: Path, **options: Any) -> None:
        try:
            sums = transfer(source)
        except BackupError as error:
            raise CommandError(str(error), returncode=2) from None
        for name, total in sums.items():
            if total.rows:
                self.stdout.write(f"{total.rows:>10,}  {total.total:032x}  {name}")
        rows = sum(total.rows for total in sums.values())
        self.stdout.write(
            f"{rows:,} rows of {len(sums)} tables are in PostgreSQL, each table with the same sum "
            f"as in {source}. Start web and workers with this DATABASE_URL."
        )
