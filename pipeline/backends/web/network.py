"""Look-ups and connections within the bounds of one exchange."""

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
"""Returns the IP addresses of a host; raises `OSError`."""
Dial = Callable[[str, int, float], httpcore2.NetworkStream]
"""Connects to an IP address and port within some seconds; raises httpcore2's errors."""

NO_SUCH_HOST = "no such host"
ADDRESSES_TRIED = 4
PIECE_BYTES = 65_536
OVERHEAD_BYTES = 1_000_000
"""For TLS, headers and chunks; httpcore2 ends headers at 100 kB."""
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


def resolve_host(host: str, port: int) -> list[str]:
    resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(sockaddr[0]) for *_, sockaddr in resolved]


def connect(address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
    """Connect without a look-up."""
    return httpcore2.SyncBackend().connect_tcp(str(ip_address(address)), port, timeout=seconds)


def tls_context() -> ssl.SSLContext:
    """Trust this machine's authorities (SSL_CERT_FILE) and certifi."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


@dataclass(kw_only=True)
class Bounds:
    """From the look-up to the last byte."""

    display: str
    """The address in messages."""
    until: float
    """The end, by `time.monotonic`."""
    most_bytes: int
    """Of the body, packed and unpacked."""
    connect_seconds: float = float("inf")
    """For each address."""
    received: int = 0

    @property
    def extensions(self) -> dict[str, Any]:
        """httpcore2 passes time-outs on; one of its own restarts with each byte."""
        return {"timeout": dict.fromkeys(("connect", "read", "write"), self)}

    def seconds_left(self) -> float:
        """Raises httpcore2's `ReadTimeout`."""
        remaining = self.until - time.monotonic()
        if remaining <= 0:
            raise httpcore2.ReadTimeout("the time is over")
        return remaining

    def count(self, data: bytes) -> None:
        """Count received bytes; raises `TooLarge`."""
        self.received += len(data)
        self.check_size(self.received - OVERHEAD_BYTES)

    def check_size(self, body_bytes: int) -> None:
        """Raises `TooLarge`."""
        if body_bytes > self.most_bytes:
            megabytes = self.most_bytes / 1_000_000
            raise TooLarge(f"{self.display} is larger than {megabytes:g} MB.")


class Network(httpcore2.NetworkBackend):
    """Connects to an address of one look-up; every `timeout` is the request's `Bounds`.

    Raises httpcore2's errors.
    """

    def __init__(self, *, resolve: Resolve = resolve_host, dial: Dial = connect) -> None:
        self._resolve, self._dial = resolve, dial

    def check(self, host: str, addresses: Sequence[str]) -> None:
        """Raise an error for forbidden addresses."""

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
        """Abandon slow look-ups, which have no time-out."""
        try:
            return [str(ip_address(host.strip("[]")))]
        except ValueError:
            pass
        resolved: list[Sequence[str]] = []

        def run() -> None:
            try:
                resolved.append(self._resolve(host, port))
            except (OSError, UnicodeError):
                resolved.append([])

        thread = Thread(target=run, name="look-up", daemon=True)
        thread.start()
        thread.join(seconds)
        if not resolved:
            raise httpcore2.ConnectTimeout("the look-up took too long")
        return list(dict.fromkeys(resolved[0]))


class _Stream(httpcore2.NetworkStream):
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
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: Any = None
    ) -> httpcore2.NetworkStream:
        remaining = timeout.seconds_left()
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout=remaining))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def read_body(response: httpcore2.Response, bounds: Bounds) -> bytes:
    """Return the unpacked body; raises `TooLarge` early, and as `unpacked`."""
    headers = httpx2.Headers(response.headers)
    length = headers.get("content-length", "")[:20]
    bounds.check_size(int(length) if length.isdigit() else 0)
    body = bytearray()
    encoding = headers.get("content-encoding", "")
    for piece in unpacked(response.iter_stream(), encoding, display=bounds.display):
        body += piece
        bounds.check_size(len(body))
    return bytes(body)


def unpacked(pieces: Iterable[bytes], encoding: str, *, display: str) -> Iterator[bytes]:
    """Unpack a body in pieces of at most `PIECE_BYTES`, safe from compression bombs.

    Raises `WrongContentType` for an unknown or repeated `encoding`, and `Unreachable` for a broken
    body.
    """
    name = encoding.strip().lower()
    if name in {"", "identity"}:
        yield from pieces
        return
    if name not in {"gzip", "x-gzip"}:
        raise WrongContentType(f"{display} is compressed in an unsupported way.")
    packed, is_empty = zlib.decompressobj(_GZIP_WINDOW), True
    for piece in pieces:
        waiting, is_empty = piece, is_empty and not piece
        while waiting:
            try:
                got = packed.decompress(waiting, PIECE_BYTES)
            except zlib.error:
                raise Unreachable(f"{display} is compressed, and damaged.") from None
            if got:
                yield got
            waiting = packed.unconsumed_tail
            if packed.eof:
                return
    while got := packed.decompress(b"", PIECE_BYTES):
        yield got
    if not packed.eof and not is_empty:
        raise Unreachable(f"{display} is compressed, and its end is missing.")
