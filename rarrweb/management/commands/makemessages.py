"""Django's `makemessages`, with all texts of a language in one file, where a lab keeps its own."""

import contextlib
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.core.management.commands import makemessages


class Command(makemessages.Command):
    help = (
        "Collects the texts of the pages that can be translated in RARR_VAR/locale, one file a "
        "language: LOCALE/LC_MESSAGES/django.po. A file that is there is brought up to date; what "
        "is translated in it stays. With -d djangojs, those of the scripts. Needs GNU gettext. "
        "Then translate, and run compilemessages. Exit status: 0 done, 1 could not run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        # The data that a lab keeps under RARR_VAR holds no texts of the pages; tests hold samples.
        ignored = ["tests", "vendor"]
        if settings.VAR_DIR.is_relative_to(settings.BASE_DIR):
            ignored.append(str(settings.VAR_DIR.relative_to(settings.BASE_DIR)))
        parser.set_defaults(ignore_patterns=ignored)

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["extensions"] and options["domain"] == "django":
            options["extensions"] = ["html", "py"]
        with contextlib.chdir(settings.BASE_DIR):
            super().handle(*args, **options)

    def find_files(self, root: str) -> list[makemessages.TranslatableFile]:
        """As Django's, which would part the texts by the folders that they come from."""
        found: list[makemessages.TranslatableFile] = super().find_files(root)
        own = str(Path(settings.LOCALE_PATHS[0]))
        self.locale_paths = [own]
        for each in found:
            each.locale_dir = own
        return found
