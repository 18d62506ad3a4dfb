"""The live server of the browser tests, which can be paused."""

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.core.signals import request_finished
from django.test.testcases import QuietWSGIRequestHandler
from playwright.sync_api import Route
from pytest_django.live_server_helper import LiveServer

GONE_SECONDS = 120


class Gate:
    """Lets requests through to the site unless it is closed."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._under_way: dict[int, str] = {}
        self._answered: list[str] = []
        self._is_open = True
        self._changed = threading.Condition()
        request_finished.connect(self._finished)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        with self._changed:
            if not self._is_open:
                start_response("503 Service Unavailable", [("Content-Length", "0")])
                return []
            self._under_way[threading.get_ident()] = environ["PATH_INFO"]
        answer: Iterable[bytes] = self._application(environ, start_response)
        return answer

    def _finished(self, **_: object) -> None:
        with self._changed:
            if path := self._under_way.pop(threading.get_ident(), ""):
                self._answered.append(path)
            self._changed.notify_all()

    @contextlib.contextmanager
    def answering(self, path: str, *, times: int) -> Iterator[None]:
        """Wait until that many requests with `path`, received meanwhile, are answered."""
        before = len(self._answered)
        yield
        with self._changed:
            assert self._changed.wait_for(
                lambda: sum(path in each for each in self._answered[before:]) >= times,
                GONE_SECONDS,
            )

    def open(self) -> None:
        with self._changed:
            self._is_open = True

    def close(self) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: not self._under_way, GONE_SECONDS)
            self._is_open = False


class LiveSite(LiveServer):
    """pytest-django's live server with WhiteNoise, so that browsers cache static files."""

    gate: Gate

    def __init__(self) -> None:
        super().__init__("localhost", start=False)
        # Each header is a packet of its own: one would wait 40 ms until the last is acknowledged.
        QuietWSGIRequestHandler.disable_nagle_algorithm = True
        self.thread.static_handler = self._guard
        self.start()

    def _guard(self, application: Any) -> Gate:
        self.gate = Gate(application)
        return self.gate


def answering(status: int) -> Callable[[Route], None]:
    """Answer with an empty page of that status, or not at all where it is 0."""
    return lambda route: route.fulfill(status=status, body="") if status else route.abort()
