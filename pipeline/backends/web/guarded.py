"""The one client for addresses that strangers chose: pages, and what search engines name.

The host is looked up once, every address it leads to is checked, and the connection goes to one
of those very addresses while TLS checks the host's name: a name that answers differently the
second time is never asked a second time. Redirects are followed by hand, each checked like the
first address. Size, time, headers and content type are limited while the answer comes in.
No cookies, no proxy, no credentials; what a server sends never gets into an error text.
"""

import ssl
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_address

import httpcore

from pipeline.backends.web.addresses import Url, check_public, read_url, shortened
from pipeline.backends.web.dialling import connect, look_up, tls_context, within
from pipeline.backends.web.errors import (
    BadStatus,
    FetchError,
    TooLarge,
    TooManyRedirects,
    TooSlow,
    Unreachable,
    WrongContentType,
)
from pipeline.backends.web.unpacking import unpacked

Resolve = Callable[[str, int], Sequence[str]]
"""The IP addresses of a host; raises `OSError` where there are none."""
Dial = Callable[[str, int, float], httpcore.NetworkStream]
"""A connection to an IP address and port within some seconds; raises httpcore's errors."""
Permit = Callable[[Url], None]
"""Raises a `FetchError` for an address that the caller does not want; asked at each redirect."""

_REDIRECTS = {301, 302, 303, 307, 308}
_ADDRESSES_TRIED = 4
_OVERHEAD_BYTES = 1_000_000
"""Of TLS, headers and chunks, beside the body; httpcore ends headers at 100 kB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one answer may cost, redirects included."""

    body_bytes: int = 5_000_000
    """Unpacked; what crosses the network may be as much."""
    seconds: float = 20.0
    """From the look-up of the name to the last byte."""
    connect_seconds: float = 5.0
    redirects: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a server answered, whole and unpacked."""

    url: Url
    """Where the redirects ended."""
    media_type: str
    """As `text/html`; "" where the server named none."""
    charset: str
    """As the server named it, else ""."""
    body: bytes


@dataclass(frozen=True, slots=True)
class _Reply:
    """One turn: an answer, or where to go instead."""

    answer: Answer | None = None
    location: str = ""


@dataclass(frozen=True, kw_only=True)
class GuardedClient:
    """See the module. One object serves any number of threads."""

    user_agent: str = "rarrweb"
    trusted: frozenset[str] = frozenset()
    """`host:port` that the administrator named: may be private and without TLS, and only
    `get_trusted` goes there."""
    limits: Limits = field(default_factory=Limits)
    resolve: Resolve = lambda host, port: look_up(host, port)
    dial: Dial = lambda address, port, seconds: connect(address, port, seconds)

    def get(
        self,
        url: str,
        *,
        media_types: Collection[str],
        permit: Permit | None = None,
        limits: Limits | None = None,
    ) -> Answer:
        """The answer at a public address; raises a `FetchError` that says why not.

        `media_types` are those that are read, as `text/html`; "" stands for none named.
        """
        limits = limits or self.limits
        deadline = time.monotonic() + limits.seconds
        here = read_url(url)
        for _ in range(limits.redirects + 1):
            if permit:
                asked = time.monotonic()
                permit(here)
                deadline += time.monotonic() - asked  # a polite pause is not the server's time
            reply = self._ask(here, media_types, limits, deadline=deadline)
            if reply.answer:
                return reply.answer
            here = read_url(reply.location, base=here)
        raise TooManyRedirects(
            f"{shortened(url)} sends on more than {limits.redirects} times: nothing was read."
        )

    def get_trusted(
        self,
        url: str,
        *,
        media_types: Collection[str],
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        limits: Limits | None = None,
    ) -> Answer:
        """The answer of a server that the administrator named, such as a search engine.

        With a `body` it is a POST of that, else a GET. Only here `headers` (a key) are sent, and
        a private address is asked where `trusted` names the host. A redirect is refused: it
        would lead both elsewhere.
        """
        limits = limits or self.limits
        here = read_url(url, trusted=self.trusted)
        deadline = time.monotonic() + limits.seconds
        reply = self._ask(
            here,
            media_types,
            limits,
            deadline=deadline,
            headers=headers or {},
            body=body,
            is_trusted=here.host_and_port in self.trusted,
        )
        if reply.answer is None:
            raise TooManyRedirects(
                f"{here.origin} sends on to another address: configure the address it sends to."
            )
        return reply.answer

    def _ask(
        self,
        url: Url,
        media_types: Collection[str],
        limits: Limits,
        *,
        deadline: float,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        is_trusted: bool = False,
    ) -> _Reply:
        network = _Guard(
            client=self, url=url, limits=limits, deadline=deadline, is_trusted=is_trusted
        )
        own = {
            "Host": url.origin.partition("://")[2],
            "User-Agent": self.user_agent,
            "Accept": ", ".join(filter(None, media_types)) or "*/*",
            "Accept-Encoding": "gzip, deflate",
            "Connection": "close",
        }
        if body is not None:
            own["Content-Length"] = str(len(body))
        sent: list[tuple[bytes | str, bytes | str]] = [*own.items(), *(headers or {}).items()]
        target = httpcore.URL(
            scheme=url.scheme, host=url.host, port=url.port, target=url.target.encode()
        )
        try:
            with (
                httpcore.HTTPConnection(
                    origin=target.origin,
                    ssl_context=self._tls if url.scheme == "https" else None,
                    network_backend=network,
                ) as connection,
                connection.stream(
                    "GET" if body is None else "POST",
                    target,
                    headers=sent,
                    content=body,
                    extensions={"timeout": _TIMEOUTS},
                ) as response,
            ):
                return _read(response, url, media_types, limits)
        except _TooMuch:
            raise _too_large(url, limits) from None
        except httpcore.TimeoutException:
            raise TooSlow(f"{_shown(url)} took longer than {limits.seconds:g} seconds.") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
            # The class's name only: the text may repeat what the server sent.
            raise Unreachable(f"{_shown(url)} cannot be reached ({_reason(error)}).") from None

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return tls_context()


@dataclass(frozen=True, kw_only=True)
class _Guard(httpcore.NetworkBackend):
    """Connects to the checked addresses of one host, and to nothing else."""

    client: GuardedClient
    url: Url
    limits: Limits
    deadline: float
    is_trusted: bool

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: object = None,
    ) -> httpcore.NetworkStream:
        addresses = self._addresses()
        if not self.is_trusted:
            check_public(addresses, host=self.url.host)
        problem: Exception = httpcore.ConnectError("no address")
        for address in addresses[:_ADDRESSES_TRIED]:
            seconds = min(self.limits.connect_seconds, _left(self.deadline))
            try:
                stream = self.client.dial(address, port, seconds)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                problem = error
                continue
            return _Stream(stream, self.deadline, self.limits.body_bytes + _OVERHEAD_BYTES)
        raise problem

    def _addresses(self) -> list[str]:
        """Looked up here and nowhere else, once a connection."""
        try:
            return [str(ip_address(self.url.host))]
        except ValueError:
            pass
        found = within(
            lambda: self.client.resolve(self.url.host, self.url.port), _left(self.deadline)
        )
        addresses = list(dict.fromkeys(found))
        if not addresses:
            raise httpcore.ConnectError("no such host")
        return addresses


class _Stream(httpcore.NetworkStream):
    """A connection with a moment at which all is over, and a number of bytes."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: float, bytes_left: int) -> None:
        self._inner, self._deadline, self._bytes_left = inner, deadline, bytes_left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        # A server that sends a byte now and then never runs into a time-out of its own.
        data = self._inner.read(max_bytes, timeout=_left(self._deadline))
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            raise _TooMuch
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout=_left(self._deadline))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        inner = self._inner.start_tls(
            ssl_context, server_hostname=server_hostname, timeout=_left(self._deadline)
        )
        return _Stream(inner, self._deadline, self._bytes_left)

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)


class _TooMuch(FetchError):
    """More bytes than the body may have; given its sentence where the address is known."""


_TIMEOUTS = {"connect": None, "read": None, "write": None, "pool": None}
"""`_Stream` keeps the time."""


def _read(
    response: httpcore.Response, url: Url, media_types: Collection[str], limits: Limits
) -> _Reply:
    headers = _headers(response.headers)
    if response.status in _REDIRECTS and headers.get("location"):
        return _Reply(location=headers["location"])
    if response.status != 200:
        raise BadStatus(
            f"{_shown(url)} answered with status {response.status}.",
            status=response.status,
            retry_after=_seconds(headers.get("retry-after", "")),
        )
    media_type, charset = _content_type(headers.get("content-type", ""))
    if media_type not in media_types:
        raise WrongContentType(
            f"{_shown(url)} is {shortened(media_type, limit=60) or 'of no named type'}, not "
            f"{' or '.join(filter(None, media_types))}."
        )
    length = headers.get("content-length", "")[:20]
    if length.isdigit() and int(length) > limits.body_bytes:
        raise _too_large(url, limits)
    body = bytearray()
    encoding = headers.get("content-encoding", "")
    for piece in unpacked(response.iter_stream(), encoding, url=_shown(url)):
        body += piece
        if len(body) > limits.body_bytes:
            raise _too_large(url, limits)
    return _Reply(answer=Answer(url=url, media_type=media_type, charset=charset, body=bytes(body)))


def _too_large(url: Url, limits: Limits) -> TooLarge:
    megabytes = limits.body_bytes / 1_000_000
    return TooLarge(f"{_shown(url)} is larger than the {megabytes:g} MB that are read.")


def _headers(raw: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1").strip() for name, value in raw}


def _content_type(header: str) -> tuple[str, str]:
    """The media type and the character set of a Content-Type header.

    >>> _content_type('Text/HTML; charset="UTF-8"')
    ('text/html', 'utf-8')
    """
    media_type, *parameters = header.lower().split(";")
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "charset":
            return media_type.strip(), value.strip(" \"'")
    return media_type.strip(), ""


def _seconds(text: str) -> float | None:
    return float(text) if text.isdigit() and len(text) < 7 else None


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the time is over")
    return left


def _shown(url: Url) -> str:
    # Without what stands behind "?": an engine's key may be in it.
    path, question, _ = url.target.partition("?")
    return shortened(f"{url.origin}{path}{'?…' if question else ''}")


def _reason(error: Exception) -> str:
    if isinstance(error.__cause__, ssl.SSLCertVerificationError):
        return "its certificate does not fit"
    match error:
        case httpcore.ConnectError():
            return str(error) if str(error) in _OUR_REASONS else "no connection"
        case httpcore.ProtocolError():
            return "it does not speak HTTP"
        case _:
            return "the connection broke"


_OUR_REASONS = {"no such host"}
