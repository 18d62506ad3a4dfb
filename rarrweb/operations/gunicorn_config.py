"""gunicorn's settings: `gunicorn -c python:rarrweb.operations.gunicorn_config rarrweb.wsgi`."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rarrweb.settings")

from django.conf import settings

worker_class = "gthread"
threads = 8
graceful_timeout = 30
# By default gunicorn takes a prefix of all addresses from the header SCRIPT_NAME of any client that
# comes from this machine, or through a proxy on it.
forwarder_headers = ""
# Each worker touches a file there every second, and is killed where that takes too long: never on a
# network share, as RARR_VAR may be.
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None  # noqa: S108  # nosec B108
# Its place is in the home of the user, which several machines may share; nobody asks there.
control_socket_disable = True
loglevel = "warning"
logconfig_dict = settings.LOGGING | {
    "loggers": {
        name: {"handlers": ["stderr"], "propagate": False, "level": "WARNING"}
        for name in ("gunicorn.error", "gunicorn.access")
    }
}

_counts = Path(tempfile.mkdtemp(prefix="rarrweb-metrics-")) if settings.METRICS_TOKEN else None
if _counts:
    # Read by prometheus_client when it is imported, which only this server's workers do.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(_counts)


def child_exit(server: Any, worker: Any) -> None:
    """gunicorn's hook after the end of each worker: no gauge of it is counted any more."""
    if _counts:
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(worker.pid)


def on_exit(server: Any) -> None:
    """gunicorn's hook at the end of the server."""
    if _counts:
        shutil.rmtree(_counts, ignore_errors=True)
