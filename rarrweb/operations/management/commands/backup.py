"""Back up the running installation."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from rarrweb.operations.backups.creation import make_backup
from rarrweb.operations.backups.scheduled import delete_older, make_scheduled_backup


class Command(BaseCommand):
    help = (
        "Writes database, corpora, uploads and the secret key into one new ZIP file, "
        "while rarrweb runs, and checks it. It contains secrets: only its owner can read it. "
        "Exit status: 0 done, 1 an older backup could not be deleted, 2 could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            nargs="?",
            type=Path,
            help="the file to write; default rarrweb-DATE-TIME.zip in RARR_BACKUP_FOLDER",
        )
        parser.add_argument(
            "--keep",
            type=int,
            metavar="N",
            help="delete all but the newest N of these files in RARR_BACKUP_FOLDER afterwards",
        )

        parser.add_argument(
            "--database-only", action="store_true", help="without corpora, uploads and keys"
        )

    def handle(
        self, *, file: Path | None, keep: int | None, database_only: bool, **options: Any
    ) -> None:
        if keep is not None and (file or keep < 1):
            raise CommandError(
                "--keep N, from 1, is for backups in RARR_BACKUP_FOLDER: name no file.",
                returncode=2,
            )
        if database_only and not file:
            raise CommandError("--database-only needs a file.", returncode=2)
        if file:
            made = make_backup(file, is_database_only=database_only)
        else:
            file, made = make_scheduled_backup()
        self.stdout.write(
            f"{file}: the database and {len(made.members) - 1:,} files, "
            f"{file.stat().st_size / 1e6:.1f} MB"
        )
        for name in made.missing_indexes:
            self.stderr.write(
                f"The search index of {name} was changing and is not in the backup. After a "
                "restore, press “Rebuild index” on the page of the corpus."
            )
        if not settings.IS_KEY_IN_FILE:
            self.stderr.write("RARR_SECRET_KEY is not in the backup: store it elsewhere.")
        for old in delete_older(file, keep=keep) if keep is not None else ():
            self.stdout.write(f"Deleted: {old}")
