"""What `revise` and `attribution` are: commands from a file to a file, without a database."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandParser


class FileCommand(BaseCommand):
    """Touches no table, and shows its help as it was written, line by line."""

    requires_system_checks: list[str] = []
    requires_migrations_checks = False
    epilog = ""
    """What stands below the options in `--help`: examples, exit status."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name,
            subcommand,
            epilog=self.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **kwargs,
        )
