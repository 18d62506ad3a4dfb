"""Commands of `manage.py` as a terminal runs them: exit status and both outputs."""

import io
from contextlib import redirect_stderr

from django.core.management import CommandError, call_command


def run_command(
    name: str, *arguments: object, stderr: io.StringIO | None = None
) -> tuple[int, str, str]:
    """The exit status, what was printed, and what was said on standard error."""
    status, printed, said = 0, io.StringIO(), stderr or io.StringIO()
    with redirect_stderr(said):
        try:
            call_command(name, *map(str, arguments), stdout=printed)
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        except CommandError as error:
            status = error.returncode
            said.write(str(error))
    return status, printed.getvalue(), said.getvalue()
