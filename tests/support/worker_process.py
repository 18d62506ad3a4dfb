"""Real worker processes; their log is printed if the test fails."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection
from pytest_django import Settings

from pipeline.models import Worker
from rarrweb.celery import app as celery_app

START_SECONDS = 300


def database_url() -> str:
    if connection.vendor == "sqlite":
        return f"sqlite:///{connection.settings_dict['NAME']}"
    values = {key: quote(str(value), safe="") for key, value in connection.settings_dict.items()}
    who = values["USER"] + (f":{values['PASSWORD']}" if values["PASSWORD"] else "")
    return f"postgres://{who}@{values['HOST']}:{values['PORT'] or 5432}/{values['NAME']}"


class WorkerProcess:
    def __init__(
        self,
        *,
        app: str,
        concurrency: int,
        options: Sequence[str],
        log: Path,
        environment: dict[str, str],
    ) -> None:
        self.log = log
        command = [
            *(sys.executable, "-m", "celery", "-A", app, "worker"),
            *("--pool", "prefork", "--concurrency", str(concurrency), "--loglevel", "INFO"),
            *options,
        ]
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                command,
                cwd=settings.BASE_DIR,
                env={
                    **os.environ,
                    "DJANGO_SETTINGS_MODULE": "rarrweb.settings",
                    "DATABASE_URL": database_url(),
                    "RARR_VAR": str(settings.VAR_DIR),
                    "CELERY_BROKER_URL": settings.CELERY_BROKER_URL,
                    **environment,
                },
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_until_alive(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not Worker.objects.filter(name__endswith=f":{self.process.pid}").exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"The worker did not start:\n{self.log.read_text()}")
            time.sleep(0.05)

    def kill(self) -> None:
        """Send SIGKILL to the worker and its pool."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Send SIGTERM, after which the worker finishes its work."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=120)
            except subprocess.TimeoutExpired:
                self.kill()


def empty_the_queue() -> None:
    with celery_app.connection_for_write() as broker:
        for queue in celery_app.amqp.queues.values():
            with contextlib.suppress(broker.channel_errors):
                queue.bind(broker.default_channel).purge()


@pytest.fixture
def empty_queue() -> Iterator[None]:
    empty_the_queue()
    yield
    empty_the_queue()


def wait_until(is_so: Callable[[], bool], *, because: str) -> None:
    """Return once `is_so()`; fail with `because` after minutes."""
    deadline = time.monotonic() + START_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, because
        time.sleep(0.05)


StartWorker = Callable[..., WorkerProcess]


@pytest.fixture
def start_worker(
    transactional_db: None, empty_queue: None, tmp_path: Path, settings: Settings
) -> Iterator[StartWorker]:
    """Start a worker and wait for its heartbeat; all are stopped after the test."""
    started: list[WorkerProcess] = []

    def _start(
        *,
        app: str = "rarrweb",
        concurrency: int = 2,
        options: Sequence[str] = (),
        lease_seconds: int = 5,
        sweep_seconds: int = 1,
        environment: dict[str, str] | None = None,
    ) -> WorkerProcess:
        settings.LEASE_SECONDS, settings.SWEEP_SECONDS = lease_seconds, sweep_seconds
        worker = WorkerProcess(
            app=app,
            concurrency=concurrency,
            options=options,
            log=tmp_path / "worker.log",
            environment={
                "RARR_LEASE_SECONDS": str(lease_seconds),
                "RARR_SWEEP_SECONDS": str(sweep_seconds),
                **(environment or {}),
            },
        )
        started.append(worker)
        worker.wait_until_alive()
        return worker

    yield _start
    for worker in started:
        worker.stop()
    log = tmp_path / "worker.log"
    if log.exists():
        # pytest shows what was printed only when the test failed.
        sys.stdout.write(log.read_text()[-8000:])
