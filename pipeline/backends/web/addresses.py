"""Web addresses: the form of a URL, and the IP addresses of its host.

Only the public internet passes, and no address that wraps another (mapped, NAT64, 6to4, Teredo).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import quote, urljoin, urlsplit

import idna

from pipeline.backends.web.errors import BadUrl, NotHttps, RefusedAddress

LONGEST_URL = 2_000
"""Characters, as in `importing.rows`."""
PORTS = {"https": 443, "http": 80}

_NOT_PUBLIC = [
    ip_network(network)
    for network in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "3fff::/20")
]
"""Reserved addresses and tunnels that some versions of Python regard as public."""
_ALLOCATED_6 = ip_network("2000::/3")
"""The only allocated part of IPv6; wrapped IPv4 addresses are outside."""
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Url:
    """Its host is in ASCII and lower case."""

    scheme: str
    """`https` or `http`."""
    host: str
    """A name, an IPv4 address in four decimal numbers, or an IPv6 address without brackets."""
    port: int
    target: str
    """Path and query, as in the request line."""

    @property
    def host_and_port(self) -> str:
        return f"{_bracketed(self.host)}:{self.port}"

    @property
    def origin(self) -> str:
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{_bracketed(self.host)}{port}"

    def __str__(self) -> str:
        return f"{self.origin}{self.target}"


def read_url(text: str, *, base: Url | None = None, trusted: frozenset[str] = frozenset()) -> Url:
    """Parse an address, relative to `base`; raises `BadUrl` or `NotHttps`.

    Hosts in `trusted` (`host:port`) may lack TLS and use any port.
    """
    display = shortened(text)
    if len(text) > LONGEST_URL or _UNPRINTABLE.search(text.strip()):
        raise BadUrl(f"{display} is too long or has characters that web addresses do not have.")
    try:
        parts = urlsplit(urljoin(str(base), text.strip()) if base else text.strip())
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        raise BadUrl(f"{display} is not a web address: write https://host/path.") from None
    if parts.scheme not in PORTS or not host:
        raise BadUrl(f"{display} is not a web address: write https://host/path.")
    if parts.username is not None or parts.password is not None:
        raise BadUrl(f"The address at {host} contains a user name or a password: delete it.")
    name = read_host(host)
    url = Url(
        scheme=parts.scheme,
        host=name,
        port=PORTS[parts.scheme] if port is None else port,
        target=quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
        + (f"?{quote(parts.query, safe='/?%:@!$&()*+,;=~-._[]|')}" if parts.query else ""),
    )
    if url.host_and_port in trusted:
        return url
    if url.scheme != "https":
        raise NotHttps(f"{shortened(str(url))} is plain http: only https is allowed.")
    if url.port not in PORTS.values():
        raise BadUrl(f"{shortened(str(url))} has port {url.port}: only 443 and 80 are allowed.")
    return url


def read_trusted(text: str) -> frozenset[str]:
    """Read `host:port, host:port`; raises `BadUrl`.

    >>> sorted(read_trusted("localhost:8888, [::1]:80"))
    ['[::1]:80', 'localhost:8888']
    """
    hosts = set()
    for given in filter(None, re.split(r"[\s,]+", text)):
        host, _, port = given.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port[:6]) < 65_536:
            raise BadUrl(f"{shortened(given)!r} is not a host with its port: write localhost:8888.")
        hosts.add(f"{_bracketed(read_host(host.strip('[]')))}:{int(port)}")
    return frozenset(hosts)


def read_host(host: str) -> str:
    """Return a host in ASCII, or an IP address in its plain form.

    Raises `BadUrl`, also for numbers that system libraries accept (`2130706433`, `0x7f.1`,
    `0177.0.0.1`, `127.1`).
    """
    if ":" in host:
        try:
            address = IPv6Address(host)
        except ValueError:
            raise BadUrl(f"{shortened(host)} is no host.") from None
        if address.scope_id:
            raise BadUrl(f"{shortened(host)} contains a network interface: delete it.")
        return str(address)
    try:
        # Maps digits and dots of other scripts to ASCII.
        name = idna.encode(host.rstrip("."), uts46=True, std3_rules=False).decode().lower()
    except (idna.IDNAError, UnicodeError):
        name = host.rstrip(".").lower()  # names with _, or -- in the third position, exist
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return str(IPv4Address(name))
        except ValueError:
            raise BadUrl(
                f"{shortened(host)} is an obscured IP address: write four decimal numbers."
            ) from None
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadUrl(f"{shortened(host)} is no host.")
    return name


def check_public(addresses: Sequence[str], *, host: str) -> None:
    """Raise `RefusedAddress` unless all IP addresses are public."""
    for address in addresses:
        if not is_public(address):
            raise RefusedAddress(
                f"{host} leads to {address}, a private or reserved address: only public addresses "
                "are allowed."
            )


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet.

    >>> is_public("10.1.2.3"), is_public("9.9.9.9")
    (False, True)
    """
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    is_allocated = ip.version == 4 or ip in _ALLOCATED_6
    is_special = ip.is_multicast or any(ip in network for network in _NOT_PUBLIC)
    return is_allocated and ip.is_global and not is_special


def shortened(text: str, *, limit: int = 120) -> str:
    flat = "".join(character if character.isprintable() else "?" for character in text)
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
