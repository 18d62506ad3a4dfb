"""Write a verified copy of the installation into one file, while it runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from rarrweb.backups.making import make_backup
from rarrweb.backups.refusals import Refused
from rarrweb.backups.scheduled import delete_older, make_scheduled_backup


class Command(BaseCommand):
    help = (
        "Writes database, corpora, uploads, packages and the secret key into one new file, while "
        "rarrweb runs, then reads it again and compares all of it. The file holds secrets: only "
        "its owner can read it. docs/upgrading.md says what is not in it. "
        "Exit status: 0 done, 1 an older backup could not be deleted, 2 could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            nargs="?",
            type=Path,
            help="the file to write; without it rarrweb-DATE-TIME.zip in RARR_BACKUP_FOLDER",
        )
        parser.add_argument(
            "--keep",
            type=int,
            metavar="N",
            help="delete all but the newest N of such files in RARR_BACKUP_FOLDER afterwards",
        )
        parser.add_argument(
            "--database-only", action="store_true", help="without corpora, uploads and keys"
        )

    def handle(
        self, *, file: Path | None, keep: int | None, database_only: bool, **options: Any
    ) -> None:
        if file and keep is not None:
            raise CommandError(
                "--keep is for backups in RARR_BACKUP_FOLDER: name no file, or leave out --keep.",
                returncode=2,
            )
        if database_only and not file:
            raise CommandError(
                "--database-only makes no backup of RARR_BACKUP_FOLDER: name a file, or leave it "
                "out.",
                returncode=2,
            )
        if keep is not None and keep < 1:
            raise CommandError(f"--keep {keep}: write 1 or more.", returncode=2)
        try:
            if file:
                made = make_backup(file, is_database_only=database_only)
            else:
                file, made = make_scheduled_backup()
        except Refused as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(
            f"{file}: {made.row_count:,} rows of {len(made.tables)} tables and "
            f"{len(made.members) - 1:,} files, {file.stat().st_size / 1e6:.1f} MB, read again and "
            "found whole."
        )
        for sentence in made.left_out:
            self.stderr.write(sentence)
        if not settings.IS_KEY_IN_FILE:
            self.stderr.write("The secret key is RARR_SECRET_KEY's: keep a copy of it yourself.")
        if keep is not None:
            self._delete_older(file, keep)

    def _delete_older(self, file: Path, keep: int) -> None:
        try:
            for old in delete_older(file, keep=keep):
                self.stdout.write(f"Deleted: {old}")
        except Refused as error:
            raise CommandError(str(error), returncode=1) from None
