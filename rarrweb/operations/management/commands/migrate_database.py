"""Copy an SQLite database into PostgreSQL."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from rarrweb.operations.backups.transfer import transfer


class Command(BaseCommand):
    help = (
        "Copies all rows of an SQLite file into the empty PostgreSQL database of DATABASE_URL, in "
        "one transaction, and compares the numbers of rows. First stop web and workers, set "
        "DATABASE_URL, and run `migrate`. The SQLite file stays unchanged. "
        "Exit status: 0 done, 2 could not run; then PostgreSQL is unchanged."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "source",
            type=Path,
            nargs="?",
            default=settings.VAR_DIR / "db.sqlite3",
            help="the SQLite file; default RARR_VAR/db.sqlite3",
        )

    def handle(self, *, source: Path, **options: Any) -> None:
        counts = transfer(source)
        for table, rows in counts.items():
            if rows:
                self.stdout.write(f"{rows:>10,}  {table}")
        self.stdout.write(
            f"{sum(counts.values()):,} rows of {source} are in PostgreSQL. Start web and workers "
            "with this DATABASE_URL."
        )
