"""The connection to a model's server: one request takes a bounded time and brings bounded bytes.

The library's time-out is for each piece of an answer alone: a server that sends a byte now and
then could hold a worker for ever.
"""

import time
from collections.abc import Iterator

import httpx2

MOST_BYTES = 20_000_000
STARTED = "rarrweb.started"


class TooLarge(httpx2.TransportError):
    """The answer has more than `MOST_BYTES`."""


class _Bounded(httpx2.SyncByteStream):
    """A response's body that ends with its deadline (`time.monotonic`) or its limit."""

    def __init__(self, inner: httpx2.SyncByteStream, *, until: float) -> None:
        self._inner, self._until = inner, until

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._inner:
            size += len(chunk)
            if size > MOST_BYTES:
                raise TooLarge(f"More than {MOST_BYTES} bytes.")
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("The answer is not whole in time.")
            yield chunk

    def close(self) -> None:
        self._inner.close()


def bounded_client(timeout: float) -> httpx2.Client:
    """A client whose requests take `timeout` seconds, and at most as long again for the last
    piece of an answer. It follows no redirect: the key goes to the configured server alone.
    """

    def start(request: httpx2.Request) -> None:
        request.extensions[STARTED] = time.monotonic()

    def bound(response: httpx2.Response) -> None:
        started = response.request.extensions[STARTED]
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Bounded(response.stream, until=started + timeout)

    return httpx2.Client(
        timeout=timeout,
        follow_redirects=False,
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64),
        event_hooks={"request": [start], "response": [bound]},
    )
