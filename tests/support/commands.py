"""Management commands with exit status and output."""

import io
import json
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

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


def write_lines(path: Path, rows: list[Any]) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
