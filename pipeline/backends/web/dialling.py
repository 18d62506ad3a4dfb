"""The look-up of a host and the connection to an address: all that touches the network itself.

Apart from the guard, which decides what may be connected to.
"""

import socket
import ssl
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from threading import Thread

import certifi
import httpcore


def look_up(host: str, port: int) -> list[str]:
    """The host's IP addresses, as the machine's resolver orders them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(place[0]) for *_, place in found]


def connect(address: str, port: int, seconds: float) -> httpcore.NetworkStream:
    """A connection to an IP address; no name is looked up."""
    return httpcore.SyncBackend().connect_tcp(str(ip_address(address)), port, timeout=seconds)


def tls_context() -> ssl.SSLContext:
    """Trusts what this machine does (a lab's own authority, SSL_CERT_FILE) and certifi."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


def within(find: Callable[[], Sequence[str]], seconds: float) -> Sequence[str]:
    """What `find` gives, if it does so in time: a look-up has no time-out of its own.

    Raises httpcore's errors. A look-up that takes longer ends by itself and is forgotten.
    """
    found: list[Sequence[str]] = []

    def run() -> None:
        try:
            found.append(find())
        except (OSError, UnicodeError):
            found.append([])

    thread = Thread(target=run, name="look-up", daemon=True)
    thread.start()
    thread.join(seconds)
    if not found:
        raise httpcore.ConnectTimeout("the look-up took too long")
    return found[0]
