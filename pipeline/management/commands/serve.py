"""`manage.py serve`: the web pages and the workers, in one terminal, until Ctrl-C."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

STOP_SECONDS = settings.STOP_SECONDS + 10
"""How long a program that is told to stop may take: for what it has in work, and to end."""


class Command(BaseCommand):
    help = (
        "Serves the pages and runs two workers beside them, one for short and one for long work, "
        "until Ctrl-C. For one machine; "
        "docs/deployment.md says how web and workers are started apart. "
        "Exit status: 0 stopped, 2 the pages could not be served."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="default 8000")
        parser.add_argument(
            "--host", default="127.0.0.1", help="address to listen on; default this machine only"
        )
        parser.add_argument("--no-worker", action="store_true", help="start only the pages")

    def handle(self, *, port: int, host: str, no_worker: bool, **options: Any) -> None:
        refuse_taken_port(host, port)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            # `nohup` has asked that a closed terminal ends nothing.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, interrupt)
        children: dict[str, subprocess.Popen[bytes]] = {}
        try:
            children["web"] = start_web(host, port)
            if not no_worker:
                children["worker"] = start_workers()
            if not wait_until_healthy(host, port, children["web"]):
                raise CommandError(
                    "The web process did not start; see its message above.", returncode=2
                )
            self.stdout.write(
                f"\nrarrweb is at {settings.PUBLIC_URL.geturl()}  (Ctrl-C stops it)\n"
            )
            self.stdout.flush()
            self.watch(children)
        except KeyboardInterrupt:
            with contextlib.suppress(OSError):  # the terminal may be gone
                self.stdout.write("\nStopping: a passage in work goes on after the next start.")
        finally:
            stop(children)

    def watch(self, children: dict[str, subprocess.Popen[bytes]]) -> None:
        """Until the web process ends. Workers that died are started again: their leases expire."""
        while children["web"].poll() is None:
            worker = children.get("worker")
            if worker is not None and worker.poll() is not None:
                self.stderr.write(f"A worker ended ({worker.returncode}): starting anew.")
                time.sleep(2)  # not a tight loop when it cannot start at all
                children["worker"] = start_workers()
            time.sleep(0.5)
        raise CommandError(f"The web process ended ({children['web'].returncode}).", returncode=2)


def interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def refuse_taken_port(host: str, port: int) -> None:
    with contextlib.closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            other = f"as in `make run PORT={port + 1 if port < 65535 else 8000}`"
            if ours := own_processes_at(port):
                raise CommandError(
                    f"Port {port} on {host} is held by a rarrweb that runs already: stop it with "
                    f"`kill {' '.join(ours)}`, or choose another port, {other}.",
                    returncode=2,
                ) from None
            raise CommandError(
                f"Port {port} on {host} cannot be used ({error.strerror}): "
                f"choose another, {other}.",
                returncode=2,
            ) from None


def own_processes_at(port: int) -> list[str]:
    """Ids of the web processes of a rarrweb that serve `port`, without those they started.

    None where there is no `ps` to ask.
    """
    try:
        listed = subprocess.run(
            ["ps", "-A", "-ww", "-o", "pid=", "-o", "ppid=", "-o", "args="],  # noqa: S607 (wherever the system keeps it)
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    lines = [line.split() for line in listed.splitlines()]
    found = [
        (pid, parent)
        for pid, parent, *words in lines
        if "rarrweb.wsgi" in words
        and any("gunicorn" in word for word in words)
        and any(word.endswith(f":{port}") for word in words)
    ]
    ids = {pid for pid, _ in found}
    return [pid for pid, parent in found if parent not in ids]


def start_web(host: str, port: int) -> subprocess.Popen[bytes]:
    # SQLite has one writer, so more processes would only wait for each other. PostgreSQL can
    # keep every processor busy, and one Python process no more than one.
    processes = min(os.cpu_count() or 1, 4) if connection.vendor == "postgresql" else 1
    return start(
        *("gunicorn", "-c", "python:rarrweb.gunicorn_config", "rarrweb.wsgi"),
        *("--bind", f"{host}:{port}", "--workers", str(processes)),
    )


def start_workers() -> subprocess.Popen[bytes]:
    return start("rarrweb.workers")


def start(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A program in Python that ends when this process does, however that ends."""
    # A session of its own: Ctrl-C reaches this command alone, which then stops the children.
    return subprocess.Popen(  # noqa: S603 (our own command line)
        [sys.executable, "-m", "rarrweb.serving", str(STOP_SECONDS), module, *arguments],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,  # never written to: its end is the news
        start_new_session=True,
    )


def wait_until_healthy(host: str, port: int, web: subprocess.Popen[bytes]) -> bool:
    address = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}/healthz"  # noqa: S104
    for _ in range(240):
        if web.poll() is not None:
            return False
        with contextlib.suppress(OSError):
            request = urllib.request.Request(address, headers={"Host": "127.0.0.1"})
            with urllib.request.urlopen(request, timeout=2) as answer:  # noqa: S310
                return bool(answer.status == 200)
        time.sleep(0.25)
    return False


def stop(children: dict[str, subprocess.Popen[bytes]]) -> None:
    for child in children.values():
        with contextlib.suppress(ProcessLookupError):
            child.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    for child in children.values():
        try:
            child.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
