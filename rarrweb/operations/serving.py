"""The programs of `manage.py serve`: forks of it, which end with it.

What they need is loaded before they part, once, and lies in memory once.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.context import ForkProcess
from socket import gethostname
from typing import Any

from celery.utils.nodenames import nodename
from django.conf import settings
from django.db import connections
from gunicorn.app.wsgiapp import run

from rarrweb.celery import LONG, SHORT, app

WORKERS: dict[str, dict[str, Any]] = {
    "short": {"queues": ",".join(SHORT)},
    "long": {"queues": ",".join(LONG), "concurrency": 1},
}
"""Names of workers, with their queues and, where it is not one a processor, their processes."""


def load(check: Callable[[], Any]) -> None:
    """Import what the programs need; `check` runs the system checks, which import every page."""
    # First, as it decides where the pages' figures are counted.
    import rarrweb.operations.gunicorn_config  # noqa: F401

    app.loader.import_default_modules()
    check()
    connections.close_all()
    gc.collect()
    gc.freeze()  # else each fork's garbage collector would write to all of it, and so copy it


def start(program: Callable[..., None], *arguments: str, stop_seconds: float) -> ForkProcess:
    """Run `program` in a fork of this process, which ends when this process does, however that
    ends; it then has `stop_seconds` to stop."""
    started = multiprocessing.get_context("fork").Process(
        target=_run, args=(os.getpid(), stop_seconds, program, *arguments)
    )
    started.start()
    return started


def _run(parent: int, stop_seconds: float, program: Callable[..., None], *arguments: str) -> None:
    # A session of its own: Ctrl-C reaches `serve` alone, which then stops the others.
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    os.chdir(settings.BASE_DIR)
    threading.Thread(target=_end_with, args=(parent, stop_seconds), daemon=True).start()
    program(*arguments)


def _end_with(parent: int, stop_seconds: float) -> None:
    """Wait until the parent is gone, then tell this program to stop; end it `stop_seconds` on."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(stop_seconds)
    os.killpg(os.getpgid(0), signal.SIGKILL)


def serve_pages(*arguments: str) -> None:
    """gunicorn, until it is told to stop."""
    config = ("-c", "python:rarrweb.operations.gunicorn_config", "rarrweb.wsgi")
    sys.argv = ["gunicorn", *config, *arguments]
    run()


def work(name: str) -> None:
    """One of the `WORKERS`, until it is told to stop."""
    # celery's command line would load a terminal's line editor into each. `load` has checked.
    os.environ["CELERY_SKIP_CHECKS"] = "true"
    # Quiet spares the terminal the banner; what goes wrong is still said.
    worker = app.Worker(
        hostname=nodename(name, gethostname()), loglevel="WARNING", quiet=True, **WORKERS[name]
    )
    worker.start()
    sys.exit(worker.exitcode)
