"""Run web and workers in one terminal."""

import contextlib
import os
import signal
import socket
import time
import urllib.request
from argparse import ArgumentParser
from multiprocessing.context import ForkProcess
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from rarrweb.operations import process_manager

STOP_SECONDS = settings.STOP_SECONDS + 10
"""Time for a process to finish its work and stop."""
PORT = 8000


class Command(BaseCommand):
    help = (
        "Serves the pages and runs two workers, one for short and one for long work, until Ctrl-C, "
        "on one machine. To start web and workers separately, see docs/operations.md. "
        "Exit status: 0 stopped, 2 the pages could not be served."
    )

    requires_system_checks: tuple[str, ...] = ()  # `handle` runs them

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=PORT, help=f"default {PORT}")
        parser.add_argument(
            "--host", default="127.0.0.1", help="address to listen on; default this machine only"
        )
        parts = parser.add_mutually_exclusive_group()
        parts.add_argument("--no-worker", action="store_true", help="start only the pages")
        parts.add_argument("--no-web", action="store_true", help="start only the workers")

    def handle(
        self, *, port: int, host: str, no_worker: bool, no_web: bool, **options: Any
    ) -> None:
        if not no_web:
            refuse_taken_port(host, port)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            # `nohup` ignores SIGHUP.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, interrupt)
        children: dict[str, ForkProcess] = {}
        try:
            process_manager.load(self.check)
            if not no_web:
                children["web"] = start_web(host, port)
            if not no_worker:
                children |= {name: start_worker(name) for name in process_manager.WORKERS}
            if no_web:
                self.stdout.write("\nTwo workers wait for work  (Ctrl-C stops them)\n")
            elif wait_until_healthy(host, port, children["web"]):
                self.stdout.write(
                    f"\nrarrweb is at {settings.PUBLIC_URL.geturl()}  (Ctrl-C stops it)\n"
                )
            else:
                raise CommandError(
                    "The web process did not start; see its message above.", returncode=2
                )
            self.stdout.flush()
            self.watch(children)
        except KeyboardInterrupt:
            with contextlib.suppress(OSError):  # the terminal may be gone
                self.stdout.write("\nStopping: passages in work continue after the next start.")
        finally:
            stop(children)

    def watch(self, children: dict[str, ForkProcess]) -> None:
        """Wait until the web process ends; restart workers that die."""
        web = children.get("web")
        while web is None or web.exitcode is None:
            for name in process_manager.WORKERS & children.keys():
                if (status := children[name].exitcode) is not None:
                    self.stderr.write(f"A worker ended ({status}): restarting it.")
                    time.sleep(2)
                    children[name] = start_worker(name)
            time.sleep(0.5)
        raise CommandError(f"The web process ended ({web.exitcode}).", returncode=2)


def interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def refuse_taken_port(host: str, port: int) -> None:
    with contextlib.closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            other = f"as in `make run PORT={port + 1 if port < 65535 else PORT}`"
            raise CommandError(
                f"Port {port} on {host} cannot be used ({error.strerror}): "
                f"choose another, {other}.",
                returncode=2,
            ) from None


def start_web(host: str, port: int) -> ForkProcess:
    # SQLite has one writer, for which more processes would wait.
    processes = min(os.cpu_count() or 1, 4) if connection.vendor == "postgresql" else 1
    bind = ("--bind", f"{host}:{port}", "--workers", str(processes))
    return process_manager.start(process_manager.serve_pages, *bind, stop_seconds=STOP_SECONDS)


def start_worker(name: str) -> ForkProcess:
    return process_manager.start(process_manager.work, name, stop_seconds=STOP_SECONDS)


def wait_until_healthy(host: str, port: int, web: ForkProcess) -> bool:
    address = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}/healthz"  # noqa: S104
    for _ in range(240):
        if web.exitcode is not None:
            return False
        with contextlib.suppress(OSError):
            request = urllib.request.Request(address, headers={"Host": "127.0.0.1"})
            with urllib.request.urlopen(request, timeout=2) as answer:  # noqa: S310
                return bool(answer.status == 200)
        time.sleep(0.25)
    return False


def stop(children: dict[str, ForkProcess]) -> None:
    for child in children.values():
        child.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    for child in children.values():
        child.join(timeout=max(0.1, deadline - time.monotonic()))
        if child.exitcode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.ident or 0, signal.SIGKILL)
