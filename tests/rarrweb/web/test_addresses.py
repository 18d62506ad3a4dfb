import pytest

from rarrweb.web.addresses import web_address


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/x?y=1", ("https://a.example/x?y=1", "a.example")),
        ("https://a.example/x?y=z#w", ("https://a.example/x?y=z#w", "a.example")),
        (" http://a.example ", ("http://a.example", "a.example")),
        ("HTTPS://A.EXAMPLE", ("HTTPS://A.EXAMPLE", "a.example")),
        ("javascript:alert(1)", ("", "")),
        (" JavaScript:alert(1)", ("", "")),
        ("java\nscript:alert(1)", ("", "")),
        ("data:text/html,x", ("", "")),
        ("ftp://rivers.example/wenna", ("", "")),
        ("//a.example/x", ("", "")),
        ("/runs/", ("", "")),
        ("http:", ("", "")),
        ("https://", ("", "")),
        ("https:///path", ("", "")),
        ("http://[broken", ("", "")),
        ("rivers.example", ("", "")),
        ("", ("", "")),
    ],
)
def test_only_web_addresses_may_become_links(url: str, expected: tuple[str, str]) -> None:
    assert web_address(url) == expected
