"""Say what is wrong with this installation, and the exact fix."""

import shutil
import sys
import textwrap
from typing import Any

from django.core.management.base import BaseCommand

from pipeline.doctor.findings import Finding, State
from pipeline.doctor.installation import examine

SUBJECT_WIDTH = 14


class Command(BaseCommand):
    help = (
        "Looks at everything rarrweb needs and says in one table what is fine (✓), what is wrong "
        "(✗, with the exact fix), what is worth knowing (!) and what could not be looked at (–). "
        "Changes nothing. Exit status: 0 all fine, 1 something is wrong, 2 could not run."
    )
    requires_system_checks = []  # a failing one is a finding, not the end

    def handle(self, *args: Any, **options: Any) -> None:
        findings = examine()
        for finding in findings:
            self.show(finding)
        count = sum(finding.state is State.WRONG for finding in findings)
        if not count:
            self.stdout.write("\nAll is well.")
            return
        self.stdout.write(f"\n{count} {'thing is' if count == 1 else 'things are'} wrong.")
        sys.exit(1)

    def show(self, finding: Finding) -> None:
        style = {State.FINE: self.style.SUCCESS, State.WRONG: self.style.ERROR}.get(
            finding.state, self.style.WARNING
        )
        room = max(40, min(shutil.get_terminal_size((100, 24)).columns, 110) - SUBJECT_WIDTH - 4)
        indent = " " * (SUBJECT_WIDTH + 3)
        says = f"\n{indent}".join(textwrap.wrap(finding.says, room, break_on_hyphens=False))
        self.stdout.write(f"{style(finding.state.value)} {finding.subject:<{SUBJECT_WIDTH}} {says}")
        # The fix is not wrapped: it is there to be copied.
        for line in finding.fix.splitlines():
            self.stdout.write(f"{indent}→ {line}")
