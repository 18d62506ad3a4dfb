"""The network itself: look-ups, connections, and the bounds of what one exchange may take."""

import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from threading import Thread
from typing import Any

import certifi
import httpcore2
import httpx2

from pipeline.backends.web.errors import TooLarge, Unreachable, WrongContentType

Resolve = Callable[[str, int], Sequence[str]]
"""The IP addresses of a host; raises `OSError` where there are none."""
Dial = Callable[[str, int, float], httpcore2.NetworkStream]
"""A connection to an IP address and port within some seconds; raises httpcore2's errors."""

NO_SUCH_HOST = "no such host"
ADDRESSES_TRIED = 4
PIECE_BYTES = 65_536
OVERHEAD_BYTES = 1_000_000
"""Of TLS, headers and chunks, beside the body; httpcore2 ends headers at 100 kB."""
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


def look_up(host: str, port: int) -> list[str]:
    """The host's IP addresses, as the machine's resolver orders them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(place[0]) for *_, place in found]


def connect(address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
    """A connection to an IP address; no name is looked up."""
    return httpcore2.SyncBackend().connect_tcp(str(ip_address(address)), port, timeout=seconds)


def tls_context() -> ssl.SSLContext:
    """Trusts what this machine does (a lab's own authority, SSL_CERT_FILE) and certifi."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


@dataclass(kw_only=True)
class Bounds:
    """What one exchange may take, from the look-up of the name to the last byte."""

    shown: str
    """What is asked, as messages name it."""
    until: float
    """The moment (`time.monotonic`) at which all is over."""
    most_bytes: int
    """Of the body, packed and unpacked."""
    connect_seconds: float = float("inf")
    """For each address that is tried."""
    received: int = 0

    @property
    def extensions(self) -> dict[str, Any]:
        """The bounds as an extension of a request.

        httpcore2 hands the time-outs of a request through to the network as they are. A time-out
        of its own would begin anew with each byte.
        """
        return {"timeout": dict.fromkeys(("connect", "read", "write"), self)}

    def seconds_left(self) -> float:
        """More than 0.0; raises httpcore2's `ReadTimeout`."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout("the time is over")
        return left

    def count(self, data: bytes) -> None:
        """Enter what came over the network; raises `TooLarge`."""
        self.received += len(data)
        self.check_size(self.received - OVERHEAD_BYTES)

    def check_size(self, body_bytes: int) -> None:
        """Raises `TooLarge`."""
        if body_bytes > self.most_bytes:
            megabytes = self.most_bytes / 1_000_000
            raise TooLarge(f"{self.shown} is larger than the {megabytes:g} MB that are read.")


class Network(httpcore2.NetworkBackend):
    """Looks a host up once a connection, and connects to one of the addresses found.

    Every `timeout` here is the `Bounds` of the request. Raises httpcore2's errors.
    """

    def __init__(self, *, resolve: Resolve = look_up, dial: Dial = connect) -> None:
        self._resolve, self._dial = resolve, dial

    def check(self, host: str, addresses: Sequence[str]) -> None:
        """Raises an error where the host's addresses may not be connected to."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: Any = None,
        local_address: str | None = None,
        socket_options: object = None,
    ) -> httpcore2.NetworkStream:
        bounds: Bounds = timeout
        addresses = self._addresses(host, port, bounds.seconds_left())
        self.check(host, addresses)
        problem: Exception = httpcore2.ConnectError(NO_SUCH_HOST)
        for address in addresses[:ADDRESSES_TRIED]:
            seconds = min(bounds.connect_seconds, bounds.seconds_left())
            try:
                return _Stream(self._dial(address, port, seconds))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                problem = error
        raise problem

    def _addresses(self, host: str, port: int, seconds: float) -> list[str]:
        """Each address once. A look-up has no time-out of its own: one that takes longer is
        forgotten, and ends by itself.
        """
        try:
            return [str(ip_address(host.strip("[]")))]
        except ValueError:
            pass
        found: list[Sequence[str]] = []

        def run() -> None:
            try:
                found.append(self._resolve(host, port))
            except (OSError, UnicodeError):
                found.append([])

        thread = Thread(target=run, name="look-up", daemon=True)
        thread.start()
        thread.join(seconds)
        if not found:
            raise httpcore2.ConnectTimeout("the look-up took too long")
        return list(dict.fromkeys(found[0]))


class _Stream(httpcore2.NetworkStream):
    """A connection that keeps to the `Bounds` of each exchange."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: Any = None) -> bytes:
        data = self._inner.read(max_bytes, timeout=timeout.seconds_left())
        timeout.count(data)
        return data

    def write(self, buffer: bytes, timeout: Any = None) -> None:
        self._inner.write(buffer, timeout=timeout.seconds_left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: Any = None,
    ) -> httpcore2.NetworkStream:
        left = timeout.seconds_left()
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout=left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def read_body(response: httpcore2.Response, bounds: Bounds) -> bytes:
    """The whole body, unpacked; raises `TooLarge` as soon as it is, and what `unpacked` raises."""
    headers = httpx2.Headers(response.headers)
    length = headers.get("content-length", "")[:20]
    bounds.check_size(int(length) if length.isdigit() else 0)
    body = bytearray()
    encoding = headers.get("content-encoding", "")
    for piece in unpacked(response.iter_stream(), encoding, shown=bounds.shown):
        body += piece
        bounds.check_size(len(body))
    return bytes(body)


def unpacked(pieces: Iterable[bytes], encoding: str, *, shown: str) -> Iterator[bytes]:
    """The body in pieces of at most `PIECE_BYTES` where it was compressed.

    So a bomb of a kilobyte never becomes a gigabyte. `encoding` is the Content-Encoding header.
    Raises `WrongContentType` for one that nobody asked for, also for several on top of each
    other, and `Unreachable` for a broken body.
    """
    name = encoding.strip().lower()
    if name in {"", "identity"}:
        yield from pieces
        return
    if name not in _WINDOWS:
        raise WrongContentType(f"{shown} is packed in a way that was not asked for.")
    packed, first, is_empty = zlib.decompressobj(_WINDOWS[name]), True, True
    for piece in pieces:
        waiting, is_empty = piece, is_empty and not piece
        while waiting:
            try:
                got = packed.decompress(waiting, PIECE_BYTES)
            except zlib.error:
                if not (first and name == "deflate"):
                    raise Unreachable(f"{shown} is packed, and the packing is broken.") from None
                # Many servers send deflate without the header that belongs to it.
                packed, first = zlib.decompressobj(-zlib.MAX_WBITS), False
                continue
            first = False
            if got:
                yield got
            waiting = packed.unconsumed_tail
            if packed.eof:
                return
    while got := packed.decompress(b"", PIECE_BYTES):
        yield got
    if not packed.eof and not is_empty:
        raise Unreachable(f"{shown} is packed, and its end is missing.")
