"""A gunicorn process on the test's database that tests can kill and restart."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.conf import settings

from tests.support.installation import free_port, wait_until_answered
from tests.support.worker_process import database_url


class ServerProcess:
    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            *(sys.executable, "-m", "gunicorn", "rarrweb.wsgi", "--log-level", "warning"),
            *("--worker-class", "gthread"),
            *("--bind", f"127.0.0.1:{self.port}", "--workers", "1", "--threads", "8"),
        ]
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "DATABASE_URL": database_url(),
            "RARR_VAR": str(settings.VAR_DIR),
        }
        self._process = subprocess.Popen(
            command, cwd=settings.BASE_DIR, env=environment, start_new_session=True
        )
        wait_until_answered(f"{self.url}/healthz", self._process)

    def kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


@pytest.fixture
def server(transactional_db: None) -> Iterator[ServerProcess]:
    started = ServerProcess()
    started.start()
    yield started
    started.kill()
