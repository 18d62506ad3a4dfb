"""Check the installation."""

import shutil
import sys
import textwrap
from typing import Any

from django.core.management.base import BaseCommand

from rarrweb.operations.doctor.findings import Finding, State
from rarrweb.operations.doctor.installation import examine

SUBJECT_WIDTH = 14


class Command(BaseCommand):
    help = (
        "Checks the installation and prints what works (✓), what fails (✗, with the fix), warnings "
        "(!) and what could not be checked (–). Changes nothing. "
        "Exit status: 0 no errors, 1 errors, 2 could not run."
    )
    requires_system_checks = []  # a failing one is a finding

    def handle(self, *args: Any, **options: Any) -> None:
        findings = examine()
        for finding in findings:
            self._print(finding)
        count = sum(finding.state is State.ERROR for finding in findings)
        if not count:
            self.stdout.write("\nNo errors.")
            return
        self.stdout.write(f"\n{count} {'error' if count == 1 else 'errors'}.")
        sys.exit(1)

    def _print(self, finding: Finding) -> None:
        style = {State.OK: self.style.SUCCESS, State.ERROR: self.style.ERROR}.get(
            finding.state, self.style.WARNING
        )
        width = max(40, min(shutil.get_terminal_size((100, 24)).columns, 110) - SUBJECT_WIDTH - 4)
        indent = " " * (SUBJECT_WIDTH + 3)
        text = f"\n{indent}".join(textwrap.wrap(finding.message, width, break_on_hyphens=False))
        self.stdout.write(f"{style(finding.state.value)} {finding.subject:<{SUBJECT_WIDTH}} {text}")
        # Not wrapped, to be copied.
        for line in finding.fix.splitlines():
            self.stdout.write(f"{indent}→ {line}")
