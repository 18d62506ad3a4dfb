"""Restore a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from pipeline.workers import registry
from rarrweb.operations.backups.restoration import restore
from rarrweb.operations.doctor.findings import MANAGE


class Command(BaseCommand):
    help = (
        "Checks a backup and restores it completely, or changes nothing. Stop web and workers "
        "first. If there are accounts or files, it needs --replace and backs them up first. "
        "Exit status: 0 done, 2 could not run; then nothing was changed."
    )
    requires_system_checks = []  # one fails after an interrupted restore

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a file written by `backup`")
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
        manifest, before = restore(file, replace=replace)
        if before:
            self.stdout.write(f"The previous state is in {before}")
        for name in manifest.missing_indexes:
            self.stderr.write(f"Press “Rebuild index” on the page of the corpus {name}.")
        self.stdout.write(f"Restored, as of {manifest.made_at}. Next: {MANAGE} migrate")
