"""Which web addresses may be requested."""

from ipaddress import IPv4Address, IPv6Address
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.backends.web.addresses import check_public, is_public, read_url
from pipeline.backends.web.errors import BadUrl, NotHttps, RefusedAddress

NOT_PUBLIC = {
    "this machine": ["0.0.0.1", "127.0.0.1", "127.255.255.254", "::", "::1"],
    "private networks": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1"],
    "local networks": ["169.254.169.254", "fd12:3456::1", "fe80::1", "fec0::1", "fe80::1%eth0"],
    "providers": ["100.64.0.1", "100.127.255.255", "192.0.0.8", "198.18.0.1"],
    "examples": ["192.0.2.1", "198.51.100.7", "203.0.113.7", "2001:db8::1", "3fff::1"],
    "groups": ["224.0.0.1", "240.0.0.1", "255.255.255.255", "100::1", "5f00::1", "ff02::1"],
    "IPv4 in IPv6": ["::ffff:127.0.0.1", "::ffff:93.184.215.14", "::127.0.0.1", "2002:7f00:1::"],
    "translated": [
        "64:ff9b::7f00:1",
        "64:ff9b::5db8:d70e",
        "64:ff9b:1::a00:1",
        "2002:5db8:d70e::1",
    ],
    "tunnels": ["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    "none": ["not an address"],
}


@pytest.mark.parametrize("address", [*chain(*NOT_PUBLIC.values())])
def test_what_is_not_of_the_public_internet_is_refused(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(RefusedAddress, match="only public addresses are allowed"):
        check_public(["93.184.215.14", address], host="example.org")


@given(st.one_of(st.integers(0, 2**32 - 1).map(IPv4Address), st.ip_addresses(v=6)))
def test_nothing_passes_that_python_knows_to_be_private(address: IPv4Address | IPv6Address) -> None:
    if not address.is_global or address.is_multicast or address.is_reserved:
        assert not is_public(str(address))
    for public in ("9.9.9.9", "93.184.215.14", "172.32.0.1", "2620:fe::fe"):
        assert is_public(public)


DISGUISED = {
    "numbers": ["2130706433", "0x7f000001", "0", "0x"],
    "short": ["127.1", "127.0.1", "１２７.1", "0x7F.1"],
    "octal or hexadecimal": ["0x7f.0.0.1", "0177.0.0.1", "127.0.0.01"],
    "not IPv4": ["1.2.3.4.5", "256.1.1.1", "example.org.1"],
    "not IPv6": ["[::1%25eth0]", "[fe80::1%eth0]", "[1::2::3]"],
    "not names": ["a..b", "-a.org", "a_.-b.org", "exa%6dple.org", "a" * 64 + ".org", ".."],
}


@pytest.mark.parametrize("host", [*chain(*DISGUISED.values())])
def test_disguised_and_broken_hosts_are_refused(host: str) -> None:
    with pytest.raises(BadUrl):
        read_url(f"https://{host}/")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("https://Example.ORG", "https://example.org/"),
        ("https://example.org.:443/a?b=c#d", "https://example.org/a?b=c"),
        ("https://example.org:80/", "https://example.org:80/"),
        ("https://bücher.example/ü?q=ü", "https://xn--bcher-kva.example/%C3%BC?q=%C3%BC"),
        ("https://example.org/a%20b/(c)?x=%2F&y", "https://example.org/a%20b/(c)?x=%2F&y"),
        ("https://9.9.9.9/", "https://9.9.9.9/"),
        ("https://[2620:FE::00fe]/", "https://[2620:fe::fe]/"),
        ("https://１２７.0.0.1/", "https://127.0.0.1/"),
        ("https://example.org/?a={b}", "https://example.org/?a=%7Bb%7D"),
    ],
)
def test_an_address_gets_one_plain_form(text: str, read: str) -> None:
    assert str(read_url(text)) == read


NO_HTTP = ["ftp://example.org/", "file:///etc/passwd", "javascript:alert(1)", "example.org"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, "not a web address") for text in NO_HTTP),
        ("https://", "not a web address"),
        ("https://example.org:99999/", "not a web address"),
        ("https://example.org:8080/", "has port 8080: only 443 and 80 are allowed"),
        ("https://example.org:22/", "has port 22"),
        ("https://user:secret@example.org/", "The address at example.org contains a user name"),
        ("https://example.org@127.0.0.1/", "contains a user name"),
        ("https://example.org/\r\nHost: x", "has characters"),
        ("https://example.org\\@127.0.0.1/", "has characters"),
        ("https://example.org/" + "a" * 2000, "too long"),
    ],
)
def test_what_is_no_address_to_read_is_refused(text: str, expected: str) -> None:
    with pytest.raises(BadUrl, match=expected) as refused:
        read_url(text)
    assert "secret" not in str(refused.value)


def test_a_trusted_host_may_do_without_tls_on_its_port_only() -> None:
    trusted = frozenset({"localhost:8888"})
    assert str(read_url("http://localhost:8888/x", trusted=trusted)) == "http://localhost:8888/x"
    for other in ("http://localhost:8889/x", "http://localhost/", "http://example.org/"):
        with pytest.raises(NotHttps, match="only https is allowed"):
            read_url(other, trusted=trusted)


def test_a_relative_address_is_read_from_its_page() -> None:
    base = read_url("https://example.org/a/b?c")
    assert str(read_url("../d", base=base)) == "https://example.org/d"
    assert str(read_url("//other.org/e", base=base)) == "https://other.org/e"
