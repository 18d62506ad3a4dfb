"""A database and a server of the run's own: the product's, started as `make run` starts it."""

import contextlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.installation import ROOT, free_port, own_database, wait_until_answered

FAULTS = ("locked", "Traceback", "ERROR", "CRITICAL", "deadlock", "Internal Server Error")


@contextlib.contextmanager
def own_place(database_url: str, *, keep: bool) -> Iterator[Path]:
    """A folder for the server's state, and in the environment what Django's settings read.

    PostgreSQL: a fresh database on the server of `database_url`. Without one: a SQLite file.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="rarrweb-load-"))
        if not keep:
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        url = f"sqlite:///{folder / 'db.sqlite3'}"
        if database_url:
            url = stack.enter_context(own_database(database_url, keep=keep))
        for name in [name for name in os.environ if name.startswith(("RARR_", "DJANGO_"))]:
            del os.environ[name]
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "rarrweb.settings",
            "DATABASE_URL": url,
            "RARR_VAR": str(folder),
            "CELERY_BROKER_URL": "filesystem://",
        }
        if keep:
            print(f"kept: RARR_VAR={folder} DATABASE_URL={url}")
        yield folder


def prepare() -> None:
    """Django and an empty database, as the environment says."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def disconnect() -> None:
    from django.db import connections

    connections.close_all()


@dataclass(kw_only=True)
class Server:
    url: str
    log: Path
    process: subprocess.Popen[bytes]

    def faults(self) -> list[str]:
        """The lines of its log that speak of a fault."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if any(word in line for word in FAULTS)]


@contextlib.contextmanager
def serving(
    folder: Path, *, port: int | None = None, with_worker: bool = False
) -> Iterator[Server]:
    """`manage.py serve`, with its workers where they have something to do; its log in `folder`."""
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    log = folder / "serve.log"
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    command += [] if with_worker else ["--no-worker"]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PUBLIC_URL": url},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_answered(f"{url}/healthz", process)
        yield Server(url=url, log=log, process=process)
    finally:
        process.terminate()
        process.wait(timeout=60)


def cpu_seconds_of_children() -> float:
    """Of all that was started here and has ended: after `serving`, the web server's."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
