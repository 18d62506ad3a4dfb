"""The heartbeat of a worker: a thread that also sweeps."""

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import billiard
from django.conf import settings
from django.db import DatabaseError, connection

from pipeline.jobs import shutdown
from pipeline.workers import recovery, registry

logger = logging.getLogger(__name__)

END_SECONDS = 10
"""Time for a worker to end after the deadline of its shutdown."""


class HeartbeatThread(threading.Thread):
    """Beats and sweeps despite errors of database and broker."""

    def __init__(self, *, queues: Sequence[str]) -> None:
        self.worker = f"{socket.gethostname()}:{os.getpid()}"
        super().__init__(name=f"heartbeat-{self.worker}", daemon=True)
        self.queues = list(queues)
        self._stopped = threading.Event()
        # The pool forks while this thread lives. A fork during a database call would copy a
        # lock into the child that nothing releases.
        self._fork_lock = threading.Lock()
        os.register_at_fork(
            before=self._fork_lock.acquire,
            after_in_parent=self._fork_lock.release,
            after_in_child=self._fork_lock.release,
        )

    def stop(self) -> None:
        """End the thread, unregister the worker, queue released rows."""
        self._stopped.set()
        self.join(timeout=settings.HEARTBEAT_SECONDS)
        try:
            registry.remove(self.worker)
            recovery.send_due()
            recovery.send_lost()
        except DatabaseError:
            logger.warning("worker %s could not unregister", self.worker)
        finally:
            connection.close()

    def run(self) -> None:
        pause = min(settings.HEARTBEAT_SECONDS, settings.SWEEP_SECONDS)
        next_sweep = 0.0
        while True:
            with self._fork_lock:
                self._attempt(registry.beat, self.worker, self.queues)
                if time.monotonic() >= next_sweep:
                    next_sweep = time.monotonic() + settings.SWEEP_SECONDS
                    self._attempt(recovery.sweep)
                    self._attempt(registry.remove_dead)
                else:
                    self._attempt(recovery.send_due)
                connection.close()  # each thread has its own
            if self._stopped.wait(pause):
                return
            if shutdown.deadline_passed(more=END_SECONDS):
                self._kill()

    def _kill(self) -> None:
        """Kill a worker that hangs in its shutdown, with its pool."""
        # A killed process of the pool may have held a lock for which the others wait.
        logger.error("worker %s does not end: killing it", self.worker)
        self._attempt(registry.remove, self.worker)
        for child in billiard.active_children():
            os.kill(child.pid, signal.SIGKILL)
        os._exit(os.EX_TEMPFAIL)

    def _attempt(self, action: Callable[..., Any], *args: Any) -> None:
        try:
            action(*args)
        except Exception:
            logger.exception("%s of worker %s failed; trying again", action.__name__, self.worker)
