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
    (ip_network(network), kind)
    for network, kind in [
        ("0.0.0.0/8", "an address of this network"),
        ("10.0.0.0/8", "a private address"),
        ("100.64.0.0/10", "an address inside a carrier's network"),
        ("127.0.0.0/8", "this machine's own address"),
        ("169.254.0.0/16", "a link-local address"),
        ("172.16.0.0/12", "a private address"),
        ("192.0.0.0/24", "a reserved address"),
        ("192.0.2.0/24", "an address for documentation"),
        ("192.88.99.0/24", "the address of a 6to4 relay"),
        ("192.168.0.0/16", "a private address"),
        ("198.18.0.0/15", "an address for benchmarks"),
        ("198.51.100.0/24", "an address for documentation"),
        ("203.0.113.0/24", "an address for documentation"),
        ("224.0.0.0/4", "a multicast address"),
        ("240.0.0.0/4", "a reserved address"),
        ("::1/128", "this machine's own address"),
        ("::ffff:0:0/96", "an IPv4 address in disguise"),
        ("64:ff9b::/96", "a translated (NAT64) address"),
        ("64:ff9b:1::/48", "a translated (NAT64) address"),
        ("fc00::/7", "a private address"),
        ("fe80::/10", "a link-local address"),
        ("ff00::/8", "a multicast address"),
        ("2001::/32", "a tunnel's (Teredo) address"),
        ("2001::/23", "a reserved address"),
        ("2001:db8::/32", "an address for documentation"),
        ("2002::/16", "a tunnel's (6to4) address"),
        ("3fff::/20", "an address for documentation"),
    ]
]
_GIVEN_OUT_6 = ip_network("2000::/3")
"""The only allocated part of IPv6; the rest is refused."""
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
        if kind := not_public(address):
            raise RefusedAddress(
                f"{host} leads to {address}, which is {kind}: only public addresses are allowed."
            )


def not_public(address: str) -> str:
    """Return an IP address's kind, or "" for a public one.

    >>> not_public("10.1.2.3"), not_public("9.9.9.9")
    ('a private address', '')
    """
    try:
        ip = ip_address(address)
    except ValueError:
        return "no address"
    for network, kind in _NOT_PUBLIC:
        if ip in network:
            return kind
    # Also what a newer Python knows.
    is_given_out = ip.is_global and (ip.version == 4 or ip in _GIVEN_OUT_6)
    return "" if is_given_out else "a reserved address"


def shortened(text: str, *, limit: int = 120) -> str:
    flat = "".join(character if character.isprintable() else "?" for character in text)
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
