"""A thread of a worker's main process that says that it lives and sweeps for lost work."""

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

from pipeline.jobs import stopping
from pipeline.workers import recovery, registry

logger = logging.getLogger(__name__)

END_SECONDS = 10
"""How long a worker may take to end once the time for what it has in work is over."""


def own_name() -> str:
    """This process's name; no two living processes share one."""
    return f"{socket.gethostname()}:{os.getpid()}"


class Heart(threading.Thread):
    """Beats and sweeps for one worker, in its main process, until told to stop.

    Nothing that goes wrong with the database or the broker ends it: the next turn tries again.
    """

    def __init__(self, name: str, *, queues: Sequence[str]) -> None:
        super().__init__(name=f"heart-{name}", daemon=True)
        self.worker = name
        self.queues = list(queues)
        self._stopped = threading.Event()
        # The pool forks new processes while this thread lives. A fork in the middle of a
        # database call would hand the child a lock that nobody opens again, so it waits.
        self._turn = threading.Lock()
        os.register_at_fork(
            before=self._turn.acquire,
            after_in_parent=self._turn.release,
            after_in_child=self._turn.release,
        )

    def stop(self) -> None:
        """End the thread, take the worker off the list, and send others what it gave back."""
        self._stopped.set()
        self.join(timeout=settings.HEARTBEAT_SECONDS)
        try:
            registry.forget(self.worker)
            recovery.send_due()
            recovery.send_lost()
        except DatabaseError:
            logger.warning("worker %s ended without a word to the database", self.worker)
        finally:
            connection.close()

    def run(self) -> None:
        pause = min(settings.HEARTBEAT_SECONDS, settings.SWEEP_SECONDS)
        next_sweep = 0.0
        while True:
            with self._turn:
                self._attempt(registry.beat, self.worker, self.queues)
                if time.monotonic() >= next_sweep:
                    next_sweep = time.monotonic() + settings.SWEEP_SECONDS
                    self._attempt(recovery.sweep)
                    self._attempt(registry.forget_the_dead)
                else:
                    self._attempt(recovery.send_due)
                connection.close()  # a thread's connection is its own
            if self._stopped.wait(pause):
                return
            if stopping.is_over(more=END_SECONDS):
                self._end_at_once()

    def _end_at_once(self) -> None:
        """End a worker that hangs in its stop, with its pool.

        A process of the pool that a signal killed may have held a lock for which all wait.
        """
        logger.error(
            "worker %s does not end: it is killed, leases of its work run out", self.worker
        )
        self._attempt(registry.forget, self.worker)
        for child in billiard.active_children():
            os.kill(child.pid, signal.SIGKILL)
        os._exit(os.EX_TEMPFAIL)

    def _attempt(self, action: Callable[..., Any], *args: Any) -> None:
        try:
            action(*args)
        except Exception:
            logger.exception("%s of worker %s failed; trying again", action.__name__, self.worker)
