"""The processes of `manage.py serve`: forks that share memory loaded before."""

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
"""Name → options of `app.Worker`."""


def load(check: Callable[[], Any]) -> None:
    """Import what the processes need; `check` runs the system checks, which import all pages."""
    # First, as it sets the folder of the metrics.
    import rarrweb.operations.gunicorn_config  # noqa: F401

    app.loader.import_default_modules()
    check()
    connections.close_all()
    gc.collect()
    gc.freeze()  # garbage collection would copy shared memory pages


def start(program: Callable[..., None], *arguments: str, stop_seconds: float) -> ForkProcess:
    """Run `program` in a fork, which stops within `stop_seconds` when this process ends."""
    process = multiprocessing.get_context("fork").Process(
        target=_run, args=(os.getpid(), stop_seconds, program, *arguments)
    )
    process.start()
    return process


def _run(parent: int, stop_seconds: float, program: Callable[..., None], *arguments: str) -> None:
    # A new session: Ctrl-C reaches `serve` alone, which then stops the others.
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    os.chdir(settings.BASE_DIR)
    threading.Thread(target=_end_with, args=(parent, stop_seconds), daemon=True).start()
    program(*arguments)


def _end_with(parent: int, stop_seconds: float) -> None:
    """Send SIGTERM to this process when the parent is gone, and SIGKILL after `stop_seconds`."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(stop_seconds)
    os.killpg(os.getpgid(0), signal.SIGKILL)


def serve_pages(*arguments: str) -> None:
    config = ("-c", "python:rarrweb.operations.gunicorn_config", "rarrweb.wsgi")
    sys.argv = ["gunicorn", *config, *arguments]
    run()


def work(name: str) -> None:
    """Run one of the `WORKERS` until it is stopped."""
    os.environ["CELERY_SKIP_CHECKS"] = "true"  # done by `load`
    # Celery's command line would load readline.
    worker = app.Worker(
        hostname=nodename(name, gethostname()), loglevel="WARNING", quiet=True, **WORKERS[name]
    )
    worker.start()
    sys.exit(worker.exitcode)
