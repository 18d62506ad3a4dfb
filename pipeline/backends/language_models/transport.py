"""The connection to a model's server: to that server alone, in bounded time, of bounded size.

All outbound traffic is guarded (`backends.web`). Pages may be anywhere public; the model's server
is one address that the administrator named, mostly on this machine or in this network. So here the
guard is the other way round: this host and port may be private, and nothing else is connected to,
whatever a redirect or a library says. The host is looked up here, once a connection; no proxy and
no credentials of the environment are used.

The library's time-out is for each piece of an answer alone: a server that sends a byte now and
then could hold a worker for ever.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpcore
import httpcore2
import httpx2

from pipeline.backends.web.dialling import look_up, tls_context, within

MOST_BYTES = 20_000_000
STARTED = "rarrweb.started"
ADDRESSES_TRIED = 4

Resolve = Callable[[str, int], Sequence[str]]


class TooLarge(httpx2.TransportError):
    """The answer has more than `MOST_BYTES`."""


class OtherServer(httpx2.TransportError):
    """A request to another address than the configured one: never sent."""


class OneServer(httpcore2.NetworkBackend):
    """Connects to one host and port, and to nothing else."""

    def __init__(self, host: str, port: int, *, resolve: Resolve = look_up) -> None:
        self._host, self._port, self._resolve = host, port, resolve
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[object] | None = None,
    ) -> httpcore2.NetworkStream:
        if (host.strip("[]").lower(), port) != (self._host, self._port):
            raise httpcore2.ConnectError("another server than the configured one")
        until = time.monotonic() + (timeout or 0.0)
        try:
            addresses = within(lambda: self._resolve(self._host, self._port), timeout or 60.0)
        except httpcore.ConnectTimeout as error:
            raise httpcore2.ConnectTimeout("the look-up took too long") from error
        problem: Exception = httpcore2.ConnectError("no such host")
        for address in list(dict.fromkeys(addresses))[:ADDRESSES_TRIED]:
            left = max(until - time.monotonic(), 0.05) if timeout else None
            try:
                return self._inner.connect_tcp(address, port, timeout=left)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                problem = error
        raise problem


class _ToOneServer(httpx2.BaseTransport):
    """HTTP over `OneServer`."""

    def __init__(self, base_url: str, *, resolve: Resolve = look_up) -> None:
        parts = urlsplit(base_url)
        self._origin = _origin(httpx2.URL(base_url))
        self._pool = httpcore2.ConnectionPool(
            ssl_context=tls_context() if parts.scheme == "https" else None,
            max_connections=None,
            max_keepalive_connections=64,
            keepalive_expiry=5.0,
            network_backend=OneServer(*self._origin[1:], resolve=resolve),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if _origin(request.url) != self._origin:
            # Before the key leaves, and before a kept connection could be used.
            raise OtherServer("The request leads to another server than the configured one.")
        if not isinstance(request.stream, httpx2.SyncByteStream):
            raise TypeError("A request with a body that is read later is not sent.")
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _named_errors():
            answered = self._pool.handle_request(asked)
        if not isinstance(answered.stream, Iterable):
            raise TypeError("An answer that is read later cannot be read.")
        return httpx2.Response(
            status_code=answered.status,
            headers=answered.headers,
            stream=_Pieces(answered.stream),
            extensions=answered.extensions,
        )

    def close(self) -> None:
        self._pool.close()


class _Pieces(httpx2.SyncByteStream):
    """The body of an answer, its errors named as the library knows them."""

    def __init__(self, inner: Iterable[bytes]) -> None:
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        with _named_errors():
            yield from self._inner

    def close(self) -> None:
        if hasattr(self._inner, "close"):
            self._inner.close()


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


def bounded_client(timeout: float, *, base_url: str, resolve: Resolve = look_up) -> httpx2.Client:
    """A client of the server at `base_url` alone, whose requests take `timeout` seconds, and at
    most as long again for the last piece of an answer. It follows no redirect.
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
        trust_env=False,
        transport=_ToOneServer(base_url, resolve=resolve),
        event_hooks={"request": [start], "response": [bound]},
    )


def _origin(url: httpx2.URL) -> tuple[str, str, int]:
    port = url.port or (443 if url.scheme == "https" else 80)
    return url.scheme, url.raw_host.decode("ascii").strip("[]").lower(), port


@contextmanager
def _named_errors() -> Iterator[None]:
    try:
        yield
    except httpcore2.TimeoutException as error:
        kind = httpx2.ConnectTimeout if isinstance(error, httpcore2.ConnectTimeout) else None
        raise (kind or httpx2.ReadTimeout)(str(error)) from error
    except httpcore2.ConnectError as error:
        raise httpx2.ConnectError(str(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise httpx2.RemoteProtocolError(str(error)) from error
