"""Domains that a run excludes, or to which it is limited."""

import pytest

from pipeline.backends.web.addresses import read_url
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.errors import ExcludedDomain
from pipeline.rarr.errors import BadConfig


def test_an_excluded_domain_excludes_its_subdomains_and_addresses_that_cannot_be_read() -> None:
    hosts = [
        "wikipedia.org/",
        "en.wikipedia.org/wiki/A",
        "EN.Wikipedia.Org./",
        "[broken",
        "0x7f.1/",
    ]
    for url in ("http://a.b.wikipedia.org:80/", *(f"https://{host}" for host in hosts)):
        assert not Domains.read(excluded="*.wikipedia.org").permits(url), url


def test_where_some_are_allowed_no_other_is() -> None:
    domains = Domains.read(allowed="example.org, .gov", excluded="bad.example.org")
    allowed = ["https://a.example.org/", "https://nasa.gov/"]
    urls = [*allowed, "https://bad.example.org", "https://other.org"]
    assert list(filter(domains.permits, urls)) == allowed
    with pytest.raises(ExcludedDomain, match=r"other.org is a domain that the run excludes"):
        domains.check(read_url("https://other.org/"))


def test_nothing_else_is_excluded() -> None:
    for url in ("https://notwikipedia.org/", "https://wikipedia.org.test/", ""):
        assert Domains.read(excluded="wikipedia.org").permits(url)
    assert Domains.read(excluded=" , ") == Domains()


@pytest.mark.parametrize("text", ["https://example.org", "a b/c", "exa_-.org,x", "1.2.3", "a:1"])
def test_what_is_no_domain_is_reported(text: str) -> None:
    with pytest.raises(BadConfig, match="is not a domain: write names such as"):
        Domains.read(excluded=text)
