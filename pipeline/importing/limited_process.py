"""Parsing an untrusted file in a process with limited CPU time and memory.

A few kilobytes can occupy a parser for minutes, or crash it.
"""

import logging
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

CPU_SECONDS = 10
"""Includes the start of Python, about half a second."""
MEMORY_BYTES = 2_000_000_000
_ROOT = Path(__file__).parents[2]

logger = logging.getLogger(__name__)


class ProcessFailed(Exception):
    """The process reached a limit or crashed."""

    def __init__(self, output: bytes) -> None:
        super().__init__("the file takes too long to read")
        self.output = output
        """What it had printed by then."""


def run_limited(module: str, content: bytes) -> bytes:
    """Return the output of `python -m MODULE` for `content` on its standard input.

    The module calls `limited_input` first. Raises `ProcessFailed`, and `CalledProcessError` if both
    processes are stopped.
    """
    command = [sys.executable, "-m", module, str(CPU_SECONDS)]
    done = subprocess.run(command, input=content, capture_output=True, cwd=_ROOT, check=False)  # noqa: S603
    if done.returncode in {-signal.SIGTERM, -signal.SIGINT}:
        done.check_returncode()
    if done.returncode:
        logger.warning("%s ended with %d: %s", module, done.returncode, done.stderr[-500:].decode())
        raise ProcessFailed(done.stdout)
    return done.stdout


def limited_input() -> bytes:
    """Limit this process; return the content from `run_limited`."""
    for kind, limit in (
        (resource.RLIMIT_CPU, int(sys.argv[1])),
        (resource.RLIMIT_AS, MEMORY_BYTES),
    ):
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        with suppress(ValueError):  # macOS cannot limit memory
            resource.setrlimit(kind, (limit, hard))
    return sys.stdin.buffer.read()
