"""Domains that a run leaves out, or keeps to."""

import pytest

from pipeline.backends.web.addresses import read_url
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.errors import ExcludedDomain
from pipeline.rarr.errors import BadConfig


@pytest.mark.parametrize(
    "url",
    [
        "https://wikipedia.org/", "https://en.wikipedia.org/wiki/A", "https://EN.Wikipedia.Org./",
        "http://a.b.wikipedia.org:80/", "https://[broken", "https://0x7f.1/",
    ],
)  # fmt: skip
def test_an_excluded_domain_takes_all_below_it_along(url: str) -> None:
    assert not Domains.read(excluded="*.wikipedia.org").permits(url)


def test_where_some_are_allowed_no_other_is() -> None:
    domains = Domains.read(allowed="example.org, .gov", excluded="bad.example.org")
    allowed = ["https://a.example.org/", "https://nasa.gov/"]
    assert [url for url in [*allowed, "https://bad.example.org", "https://other.org"]
            if domains.permits(url)] == allowed  # fmt: skip
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
