"""A database and a server for a load test."""

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

from tests.support.installation import ROOT, free_port, temporary_database, wait_until_answered

FAULTS = ("locked", "Traceback", "ERROR", "CRITICAL", "deadlock", "Internal Server Error")


@contextlib.contextmanager
def temporary_state(database_url: str, *, keep: bool) -> Iterator[Path]:
    """Set the environment for a new PostgreSQL database or SQLite file."""
    with contextlib.ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="rarrweb-load-"))
        if not keep:
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        url = f"sqlite:///{folder / 'db.sqlite3'}"
        if database_url:
            url = stack.enter_context(temporary_database(database_url, keep=keep))
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
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if any(word in line for word in FAULTS)]


@contextlib.contextmanager
def serving(
    folder: Path, *, port: int | None = None, with_worker: bool = False
) -> Iterator[Server]:
    """Run `manage.py serve`, with its log in `folder`."""
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
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
