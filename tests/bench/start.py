"""How long `manage.py serve` takes until its first page, and the memory it holds when idle.

    python -m tests.bench.start [TIMES]

Starts an empty installation in a temporary folder TIMES times (3), asks for the page to log in,
waits until all workers have told that they live, and prints the median seconds and, of the last
start, each process's PSS: its own memory and its part of what it shares. Linux only. No model is
loaded by then.
"""

import contextlib
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError

from tests.bench.memory import pss_of_all
from tests.support.installation import ROOT, START_SECONDS, free_port

SETTLED_SECONDS = 3
"""What the pools take to fork their processes once their worker has told that it lives."""
WORKERS = 2


def main() -> None:
    first_page, memory = measured(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    print(f"{'first page after':60} {first_page:6.1f} s")
    for label, megabytes in memory.items():
        print(f"{label:60} {megabytes:6.1f} MB")
    print(f"{'all':60} {sum(memory.values()):6.1f} MB")


def measured(times: int) -> tuple[float, dict[str, float]]:
    """The median seconds until the first page, and the megabytes of each process of the last."""
    seconds = []
    memory: dict[str, float] = {}
    for _ in range(times):
        with (
            tempfile.TemporaryDirectory(prefix="rarrweb-start-") as var,
            started(Path(var)) as (server, took),
        ):
            seconds.append(took)
            wait_for_workers(Path(var) / "db.sqlite3")
            time.sleep(SETTLED_SECONDS)
            memory = pss_of_all(server.pid)
    return statistics.median(seconds), memory


@contextlib.contextmanager
def started(var: Path) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """A server on an empty installation in `var`, and the seconds until it gave its first page."""
    port = free_port()
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("RARR_", "DJANGO_"))},
        "DATABASE_URL": f"sqlite:///{var / 'db.sqlite3'}",
        "RARR_VAR": str(var),
        "CELERY_BROKER_URL": "filesystem://",
    }
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "-v", "0"], cwd=ROOT, env=environment, check=True)
    start = time.perf_counter()
    server = subprocess.Popen(
        [*manage, "serve", "--port", str(port)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        ask(f"http://127.0.0.1:{port}/", server)
        yield server, time.perf_counter() - start
    finally:
        server.terminate()
        server.wait(timeout=60)


def ask(address: str, server: subprocess.Popen[bytes]) -> None:
    """Until `address` gives a page."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(ConnectionError, URLError):
            urllib.request.urlopen(address, timeout=60).read()  # noqa: S310
            return
        time.sleep(0.02)
    raise SystemExit(f"Nothing answers at {address}.")


def wait_for_workers(database: Path) -> None:
    """Until both workers have written that they live."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with contextlib.closing(sqlite3.connect(database)) as connection:
            (alive,) = connection.execute("SELECT COUNT(*) FROM pipeline_worker").fetchone()
        if alive >= WORKERS:
            return
        time.sleep(0.2)
    raise SystemExit("The workers did not start.")


if __name__ == "__main__":
    main()
