"""Installations with a database and a queue of their own, served as by `make run`."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 300


@dataclass(kw_only=True)
class Installation:
    url: str
    environment: dict[str, str]
    log: Path
    logins: dict[str, tuple[str, str]] = field(default_factory=dict)
    """admin, researcher, annotator to (user name, password), as `demo` printed them."""

    def manage(self, *arguments: str) -> str:
        """Run a management command, and return its output; raises if it fails."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"{arguments} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout


def free_port() -> int:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def temporary_database(url: str, *, keep: bool = False) -> Iterator[str]:
    """Create an empty PostgreSQL database on the server of `url`, dropped at the end."""
    name = f"rarrweb_road_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
    try:
        yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
    finally:
        if not keep:
            with psycopg.connect(url, autocommit=True) as server:
                server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextlib.contextmanager
def running_installation() -> Iterator[Installation]:
    """With SQLite and the folder queue, or the services of the environment."""
    with contextlib.ExitStack() as stack:
        var = stack.enter_context(tempfile.TemporaryDirectory(prefix="rarrweb-road-"))
        port = free_port()
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("RARR_", "DJANGO_"))},
            "RARR_VAR": var,
            "PUBLIC_URL": f"http://localhost:{port}",
        }
        if os.environ.get("DATABASE_URL", "").startswith("postgres"):
            environment["DATABASE_URL"] = stack.enter_context(
                temporary_database(os.environ["DATABASE_URL"])
            )
        if os.environ.get("CELERY_BROKER_URL", "").startswith("redis"):
            # A database of Redis beside the suite's, so that no worker takes another's message.
            broker = urlsplit(os.environ["CELERY_BROKER_URL"])
            environment["CELERY_BROKER_URL"] = urlunsplit(broker._replace(path="/11"))
        made = Installation(
            url=environment["PUBLIC_URL"], environment=environment, log=Path(var) / "serve.log"
        )
        made.manage("migrate", "-v", "0")
        made.logins = read_logins(made.manage("demo"))
        with made.log.open("wb") as log:
            server = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--port", str(port)],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            try:
                wait_until_answered(f"{made.url}/healthz", server)
            except AssertionError as error:
                error.add_note(made.log.read_text())
                raise
            yield made
        finally:
            server.terminate()
            server.wait(timeout=300)


@cache
def migrated_sqlite() -> bytes:
    """A migrated SQLite file without users, created once per process."""
    with tempfile.TemporaryDirectory(prefix="rarrweb-migrated-") as folder:
        environment = _on_sqlite(Path(folder))
        migrate = [sys.executable, "manage.py", "migrate", "-v", "0"]
        subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
        return (Path(folder) / "db.sqlite3").read_bytes()


def embedded(var: Path) -> dict[str, str]:
    var.mkdir(parents=True, exist_ok=True)
    (var / "db.sqlite3").write_bytes(migrated_sqlite())
    return _on_sqlite(var)


def _on_sqlite(var: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "rarrweb.settings",
        "DATABASE_URL": f"sqlite:///{var / 'db.sqlite3'}",
        "RARR_VAR": str(var),
        "CELERY_BROKER_URL": "filesystem://",
    }


@contextlib.contextmanager
def serving(var: Path, *arguments: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Serve an empty installation in `var`; yield port and process."""
    port = free_port()
    environment = embedded(var)
    started = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", str(port), *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until_answered(f"http://127.0.0.1:{port}/healthz", started)
        yield port, started
    finally:
        started.terminate()
        started.communicate(timeout=300)


def read_logins(printed: str) -> dict[str, tuple[str, str]]:
    result = re.findall(r"^ +demo-(admin|researcher|annotator) +(\S+) ", printed, re.M)
    assert len(result) == 3, printed
    return {role: (f"demo-{role}", password) for role, password in result}


def wait_until_answered(address: str, server: subprocess.Popen[Any]) -> None:
    """Wait for `address`; fail if the server ends, or after `START_SECONDS`."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(address, timeout=2).close()  # noqa: S310
            return
        time.sleep(0.2)
    raise AssertionError(f"Nothing answers at {address}.")
