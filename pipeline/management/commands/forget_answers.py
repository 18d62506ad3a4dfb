"""`manage.py forget_answers`: delete cached answers of models and searches."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from pipeline.backends.response_cache import SqliteCache
from pipeline.runs import answer_cache


class Command(BaseCommand):
    help = (
        "Deletes cached answers of language models and searches, in the database (runs) and in "
        "the file of the revise command. Results stay. A repeated run or command requests the "
        "answers again, and pays again. "
        "Exit status: 0 done, 2 nothing was done."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--all", action="store_true", help="every answer")
        which.add_argument(
            "--older-than", type=int, metavar="DAYS", help="those cached more than DAYS days ago"
        )

    def handle(self, *args: Any, older_than: int | None, **options: Any) -> None:
        before = None
        if older_than is not None:
            if not 0 <= older_than <= 36_500:
                raise CommandError(
                    f"--older-than {older_than}: write a number of days from 0 to 36500.",
                    returncode=2,
                )
            before = timezone.now() - timedelta(days=older_than)
        count = answer_cache.forget(before=before)
        path = settings.VAR_DIR / settings.ANSWERS_FILE
        if path.exists():
            file = SqliteCache(path)
            count += file.forget(before=before.timestamp() if before else None)
            file.close()
        self.stdout.write(f"Deleted: {count:,} {'answer' if count == 1 else 'answers'}.")
