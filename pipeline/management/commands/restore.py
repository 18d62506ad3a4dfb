"""Put the installation of a backup in the place of this one."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from pipeline.doctor.findings import MANAGE
from pipeline.workers import registry
from rarrweb.backups.refusals import Refused
from rarrweb.backups.restoring import restore


class Command(BaseCommand):
    help = (
        "Looks through a file that `backup` wrote, and then puts all of it here, or nothing. Stop "
        "web and workers first. Where rows or files are here already it changes nothing, unless "
        "--replace is given: then they are backed up first. "
        "Exit status: 0 done, 2 could not run; then nothing was changed."
    )
    requires_system_checks = []  # a restore that was cut off is one of them

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="what `backup` wrote")
        parser.add_argument(
            "--replace", action="store_true", help="also where rows or files are; backs them up"
        )

    def handle(self, *, file: Path, replace: bool, **options: Any) -> None:
        if _worker_is_alive():
            raise CommandError(
                "A worker is alive: stop web and workers, wait 15 seconds, then again.",
                returncode=2,
            )
        try:
            done = restore(file, replace=replace)
        except Refused as error:
            raise CommandError(str(error), returncode=2) from None
        if done.before:
            self.stdout.write(f"What was here is in {done.before}")
        self.stdout.write(
            f"Restored: {done.manifest.row_count:,} rows of {len(done.manifest.tables)} tables, as "
            f"of {done.manifest.made_at}."
        )
        for sentence in done.manifest.left_out:
            self.stderr.write(sentence)
        if done.is_older:
            self.stdout.write(f"It is of an older version. Next: {MANAGE} migrate")


def _worker_is_alive() -> bool:
    try:
        return registry.any_alive()
    except DatabaseError:  # no tables yet
        return False
