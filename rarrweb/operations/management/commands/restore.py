"""Put the installation of a backup in place of this one."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from pipeline.workers import registry
from rarrweb.operations.backups.archive import BackupError
from rarrweb.operations.backups.restoring import restore
from rarrweb.operations.doctor.findings import MANAGE


class Command(BaseCommand):
    help = (
        "Checks a file that `backup` wrote and puts all of it here, or nothing. Stop web and "
        "workers first. Where accounts or files are here already, it needs --replace and backs "
        "them up first. Exit status: 0 done, 2 could not run; then nothing was changed."
    )
    requires_system_checks = []  # an interrupted restore is one of them

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="what `backup` wrote")
        parser.add_argument(
            "--replace", action="store_true", help="replace what is here, after a backup of it"
        )

    def handle(self, *, file: Path, replace: bool, **options: Any) -> None:
        try:
            is_running = registry.alive().exists()
        except DatabaseError:  # no tables yet
            is_running = False
        if is_running:
            raise CommandError(
                "A worker is running: stop web and workers, wait 15 seconds, then try again.",
                returncode=2,
            )
        try:
            manifest, before = restore(file, replace=replace)
        except BackupError as error:
            raise CommandError(str(error), returncode=2) from None
        if before:
            self.stdout.write(f"What was here is in {before}")
        for name in manifest.missing_indexes:
            self.stderr.write(f"Press “Rebuild index” on the page of the corpus {name}.")
        self.stdout.write(f"Restored, as of {manifest.made_at}. Next: {MANAGE} migrate")
