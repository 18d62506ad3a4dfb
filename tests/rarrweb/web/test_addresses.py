import pytest

from rarrweb.web.addresses import web_address


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/x?y=1", ("https://a.example/x?y=1", "a.example")),
        ("https://a.example/x?y=z#w", ("https://a.example/x?y=z#w", "a.example")),
        (" http://a.example ", ("http://a.example", "a.example")),
        ("HTTPS://A.EXAMPLE", ("HTTPS://A.EXAMPLE", "a.example")),
    ],
)
def test_only_web_addresses_may_become_links(url: str, expected: tuple[str, str]) -> None:
    assert web_address(url) == expected


def test_no_other_text_may() -> None:
    scripts = ("javascript:alert(1)", " JavaScript:alert(1)", "java\nscript:alert(1)")
    schemes = ("data:text/html,x", "ftp://rivers.example/wenna", "//a.example/x", "/runs/")
    broken = ("http:", "https://", "https:///path", "http://[broken", "rivers.example", "")
    links = {url: web_address(url) for url in (*scripts, *schemes, *broken)}
    assert set(links.values()) == {("", "")}, links
