"""The client of all outgoing requests: pages, search engines and language models.

It looks a host up once, checks every address, and connects to one of those, while TLS checks the
host's name. It checks each redirect likewise, limits size, time, headers and content type, and
sends no cookies, proxy or credentials. Error texts repeat nothing of a response.
"""

import ssl
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from email.message import Message
from functools import cached_property
from typing import Any

import httpcore2
import httpx2

from pipeline.backends.retries import retry_after
from pipeline.backends.web.addresses import Url, check_public, read_url, shortened
from pipeline.backends.web.errors import (
    BadStatus,
    RefusedAddress,
    TooManyRedirects,
    TooSlow,
    Unreachable,
    WrongContentType,
)
from pipeline.backends.web.network import (
    NO_SUCH_HOST,
    Bounds,
    Dial,
    Network,
    Resolve,
    connect,
    read_body,
    resolve_host,
    tls_context,
)

Permit = Callable[[Url], None]
"""Raises a `FetchError` for an unwanted address; called at each redirect."""

_REDIRECTS = {301, 302, 303, 307, 308}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Of one response, redirects included."""

    body_bytes: int = 5_000_000
    """Unpacked, and as much over the network."""
    seconds: float = 20.0
    """From the look-up of the name to the last byte."""
    connect_seconds: float = 5.0
    redirects: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class WebResponse:
    """A whole, unpacked response."""

    url: Url
    """After redirects."""
    media_type: str
    """As `text/html`; "" where the server names none."""
    charset: str
    """From the server, or ""."""
    body: bytes


@dataclass(frozen=True, kw_only=True)
class GuardedClient:
    """A client for any number of threads."""

    user_agent: str = "rarrweb"
    trusted: frozenset[str] = frozenset()
    """`host:port` of the administrator: may be private and without TLS, by `get_trusted` only."""
    limits: Limits = field(default_factory=Limits)
    resolve: Resolve = lambda host, port: resolve_host(host, port)
    dial: Dial = lambda address, port, seconds: connect(address, port, seconds)

    def get(
        self,
        url: str,
        *,
        media_types: Collection[str],
        permit: Permit | None = None,
        limits: Limits | None = None,
    ) -> WebResponse:
        """Return the response of a public address; raises `FetchError`.

        "" among `media_types` (`text/html`) accepts none.
        """
        limits = limits or self.limits
        deadline = time.monotonic() + limits.seconds
        here = read_url(url)
        for _ in range(limits.redirects + 1):
            if permit:
                started = time.monotonic()
                permit(here)
                deadline += time.monotonic() - started  # a polite pause is not the server's time
            reply = self._ask(here, media_types, limits, deadline=deadline)
            if isinstance(reply, WebResponse):
                return reply
            here = read_url(reply, base=here)
        raise TooManyRedirects(f"{shortened(url)} redirects more than {limits.redirects} times.")

    def get_trusted(
        self,
        url: str,
        *,
        media_types: Collection[str],
        method: str = "",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        limits: Limits | None = None,
    ) -> WebResponse:
        """Return the response of a configured server, such as a search engine.

        A `body` makes it a POST without `method`. Only here `headers` (a key) are sent, private
        addresses allowed for `trusted` hosts, and redirects refused.
        """
        limits = limits or self.limits
        here = read_url(url, trusted=self.trusted)
        deadline = time.monotonic() + limits.seconds
        reply = self._ask(
            here,
            media_types,
            limits,
            deadline=deadline,
            method=method,
            headers=headers or {},
            body=body,
            is_trusted=here.host_and_port in self.trusted,
        )
        if not isinstance(reply, WebResponse):
            raise TooManyRedirects(
                f"{here.origin} redirects to another address: configure that address."
            )
        return reply

    def _ask(
        self,
        url: Url,
        media_types: Collection[str],
        limits: Limits,
        *,
        deadline: float,
        method: str = "",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        is_trusted: bool = False,
    ) -> WebResponse | str:
        # Without the query: it may hold an engine's key.
        path, question, _ = url.target.partition("?")
        display = shortened(f"{url.origin}{path}{'?…' if question else ''}")
        bounds = Bounds(
            display=display,
            until=deadline,
            most_bytes=limits.body_bytes,
            connect_seconds=limits.connect_seconds,
        )
        defaults = {
            "Host": url.origin.partition("://")[2],
            "User-Agent": self.user_agent,
            "Accept": ", ".join(filter(None, media_types)) or "*/*",
            "Accept-Encoding": "gzip",
            "Connection": "close",
        }
        if body is not None:
            defaults["Content-Length"] = str(len(body))
        method = method or ("GET" if body is None else "POST")
        sent = [*defaults.items(), *(headers or {}).items()]
        try:
            with self._stream(method, url, sent, body, bounds, is_trusted=is_trusted) as response:
                return _read(response, url, media_types, bounds)
        except httpcore2.TimeoutException:
            raise TooSlow(f"{display} took longer than {limits.seconds:g} seconds.") from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError) as error:
            # The class's name only: the text may repeat a response.
            raise Unreachable(f"{display} cannot be reached ({reason_of(error)}).") from None

    def send(
        self,
        method: str,
        url: str,
        *,
        headers: Sequence[tuple[bytes, bytes]],
        body: bytes,
        limits: Limits,
    ) -> tuple[int, httpx2.Headers, bytes]:
        """Return status, headers and body of a trusted server, for a library.

        Keeps the connection. Raises `FetchError` and httpcore2's errors.
        """
        here = read_url(url, trusted=self.trusted)
        if here.host_and_port not in self.trusted:
            raise RefusedAddress(f"{here.origin} is not the configured server.")
        bounds = Bounds(
            display="The answer",
            until=time.monotonic() + limits.seconds,
            most_bytes=limits.body_bytes,
        )
        with self._stream(method, here, headers, body, bounds, is_trusted=True) as response:
            content = read_body(response, bounds)
        received = httpx2.Headers(response.headers)
        received.pop("content-encoding", None)  # the body is unpacked
        return response.status, received, content

    @cached_property
    def _pools(self) -> dict[tuple[bool, str], httpcore2.ConnectionPool]:
        return {}

    def _stream(
        self,
        method: str,
        url: Url,
        headers: Sequence[tuple[Any, Any]],
        body: bytes | None,
        bounds: Bounds,
        *,
        is_trusted: bool,
    ) -> AbstractContextManager[httpcore2.Response]:
        key = is_trusted, url.scheme
        if key not in self._pools:
            network = Network if is_trusted else _PublicNetwork
            self._pools[key] = httpcore2.ConnectionPool(
                ssl_context=tls_context() if url.scheme == "https" else None,
                max_connections=None,
                max_keepalive_connections=64,
                keepalive_expiry=5.0,
                network_backend=network(resolve=self.resolve, dial=self.dial),
            )
        target = httpcore2.URL(
            scheme=url.scheme, host=url.host, port=url.port, target=url.target.encode()
        )
        return self._pools[key].stream(
            method, target, headers=headers, content=body, extensions=bounds.extensions
        )


class _PublicNetwork(Network):
    """Connects to public addresses only."""

    def check(self, host: str, addresses: Sequence[str]) -> None:
        check_public(addresses, host=host)


def _read(
    response: httpcore2.Response, url: Url, media_types: Collection[str], bounds: Bounds
) -> WebResponse | str:
    headers = httpx2.Headers(response.headers)
    locations = headers.get_list("location")  # the last of several holds, also for the type
    if response.status in _REDIRECTS and locations and locations[-1]:
        return str(locations[-1])
    if response.status != 200:
        raise BadStatus(
            f"{bounds.display} answered with status {response.status}.",
            status=response.status,
            retry_after=retry_after(headers) or None,
        )
    media_type, charset = _content_type(["", *headers.get_list("content-type")][-1])
    if media_type not in media_types:
        raise WrongContentType(
            f"{bounds.display} is {shortened(media_type, limit=60) or 'of an unknown type'}, not "
            f"{' or '.join(filter(None, media_types))}."
        )
    body = read_body(response, bounds)
    return WebResponse(url=url, media_type=media_type, charset=charset, body=body)


def _content_type(header: str) -> tuple[str, str]:
    """Return media type and encoding.

    >>> _content_type('Text/HTML; charset="UTF-8"')
    ('text/html', 'utf-8')
    """
    message = Message()
    message["content-type"] = header
    charset = message.get_content_charset("").strip("'")
    return header.partition(";")[0].strip().lower(), charset


def reason_of(error: Exception) -> str:
    """Name a connection's failure without the server's words."""
    if isinstance(error.__context__, ssl.SSLCertVerificationError):
        return "its certificate is not valid"
    match error:
        case httpcore2.ConnectError():
            return NO_SUCH_HOST if str(error) == NO_SUCH_HOST else "no connection"
        case httpcore2.ProtocolError():
            return "it does not use HTTP"
        case _:
            return "the connection broke"
