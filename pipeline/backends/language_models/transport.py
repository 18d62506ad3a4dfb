"""The connection to a model's server: to that server alone, in bounded time, of bounded size.

All outbound traffic is guarded (`backends.web`). Pages may be anywhere public; the model's server
is one address that the administrator named, mostly on this machine or in this network. So the
guard works the other way round here: this host and port may be private, and nothing else is
connected to, whatever a redirect or a library says. No proxy and no credentials of the environment
are used.

The library's time-out is for each piece of an answer alone: a server that sends a byte now and
then could hold a worker for ever.
"""

import time
from typing import Any

import httpcore2
import httpx2

from pipeline.backends.web.errors import FetchError
from pipeline.backends.web.network import Bounds, Network, Resolve, look_up, read_body, tls_context

MOST_BYTES = 20_000_000


class OtherServer(httpx2.TransportError):
    """A request to another address than the configured one; it is never sent."""


class OneServer(Network):
    """Connects to one host and port, and to nothing else."""

    def __init__(self, host: str, port: int, *, resolve: Resolve = look_up) -> None:
        super().__init__(resolve=resolve)
        self._place = host, port

    def connect_tcp(
        self, host: str, port: int, *args: Any, **kwargs: Any
    ) -> httpcore2.NetworkStream:
        if (host.strip("[]").lower(), port) != self._place:
            raise httpcore2.ConnectError("another server than the configured one")
        return super().connect_tcp(host, port, *args, **kwargs)


class _ToOneServer(httpx2.BaseTransport):
    """HTTP over `OneServer`; each answer is read whole, within `timeout` seconds."""

    def __init__(self, base_url: str, *, timeout: float, resolve: Resolve) -> None:
        self._origin = _origin(httpx2.URL(base_url))
        self._timeout = timeout
        self._pool = httpcore2.ConnectionPool(
            ssl_context=tls_context() if self._origin[0] == "https" else None,
            max_connections=None,
            max_keepalive_connections=64,
            keepalive_expiry=5.0,
            network_backend=OneServer(*self._origin[1:], resolve=resolve),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if _origin(request.url) != self._origin:
            # Before the key leaves, and before a kept connection could be used.
            raise OtherServer("The request leads to another server than the configured one.")
        bounds = Bounds(
            shown="The answer", until=time.monotonic() + self._timeout, most_bytes=MOST_BYTES
        )
        url = httpcore2.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        try:
            with self._pool.stream(
                request.method,
                url,
                headers=request.headers.raw,
                content=request.read(),
                extensions=bounds.extensions,
            ) as response:
                body = read_body(response, bounds)
        except httpcore2.TimeoutException as error:
            raise httpx2.ReadTimeout(str(error)) from error
        except httpcore2.ConnectError as error:
            raise httpx2.ConnectError(str(error)) from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError, FetchError) as error:
            raise httpx2.RemoteProtocolError(str(error)) from error
        headers = httpx2.Headers(response.headers)
        headers.pop("content-encoding", None)  # the body is unpacked
        return httpx2.Response(response.status, headers=headers, content=body)

    def close(self) -> None:
        self._pool.close()


def bounded_client(timeout: float, *, base_url: str, resolve: Resolve = look_up) -> httpx2.Client:
    """A client of the server at `base_url` alone, whose requests take at most `timeout` seconds.

    It follows no redirect.
    """
    return httpx2.Client(
        follow_redirects=False,
        trust_env=False,
        headers={"Accept-Encoding": "gzip, deflate"},
        transport=_ToOneServer(base_url, timeout=timeout, resolve=resolve),
    )


def _origin(url: httpx2.URL) -> tuple[str, str, int]:
    port = url.port or (443 if url.scheme == "https" else 80)
    return url.scheme, url.raw_host.decode("ascii").strip("[]").lower(), port
