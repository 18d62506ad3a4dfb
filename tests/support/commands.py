"""Management commands with exit status and output."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError, call_command


def run_command(
    name: str, *arguments: object, stderr: io.StringIO | None = None
) -> tuple[int, str, str]:
    """Return exit status, stdout and stderr."""
    status, printed, message = 0, io.StringIO(), stderr or io.StringIO()
    with redirect_stderr(message):
        try:
            call_command(name, *map(str, arguments), stdout=printed)
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        except CommandError as error:
            status = error.returncode
            message.write(str(error))
    return status, printed.getvalue(), message.getvalue()


def outcome(name: str, *arguments: object, stderr: io.StringIO | None = None) -> tuple[int, str]:
    """Return exit status and stderr."""
    status, _, message = run_command(name, *arguments, stderr=stderr)
    return status, message


def revise(*arguments: object, stderr: io.StringIO | None = None) -> tuple[int, str]:
    return outcome("revise", *arguments, stderr=stderr)


def run_without_database(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that can reach no database, with its state in `folder`."""
    environment = {
        **os.environ,
        "RARR_VAR": str(folder / "state"),
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
        "DJANGO_SETTINGS_MODULE": "rarrweb.settings",
    }
    command = [sys.executable, settings.BASE_DIR / "manage.py", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def write_lines(path: Path, rows: list[Any]) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
