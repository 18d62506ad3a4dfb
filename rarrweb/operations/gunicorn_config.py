"""Settings for `gunicorn -c python:rarrweb.operations.gunicorn_config rarrweb.wsgi`."""

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
# By default gunicorn trusts the header SCRIPT_NAME of clients on this machine.
forwarder_headers = ""
# A slow heartbeat file gets workers killed: not on a network share.
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None  # noqa: S108  # nosec B108
# Machines may share the user's home.
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
    # Read when prometheus_client is imported, by the workers.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(_counts)


def child_exit(server: Any, worker: Any) -> None:
    """gunicorn's hook after a worker: remove its gauges."""
    if _counts:
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(worker.pid)


def on_exit(server: Any) -> None:
    if _counts:
        shutil.rmtree(_counts, ignore_errors=True)
