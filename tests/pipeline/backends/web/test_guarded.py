"""The guarded client against servers that try every trick."""

import gzip
import itertools
import time
import zlib
from typing import Any

import pytest

from pipeline.backends.web import guarded
from pipeline.backends.web.errors import (
    BadStatus,
    BadUrl,
    FetchError,
    NotHttps,
    RefusedAddress,
    TooLarge,
    TooManyRedirects,
    TooSlow,
    Unreachable,
    WrongContentType,
)
from pipeline.backends.web.guarded import GuardedClient, Limits, WebResponse
from tests.support.web_server import PUBLIC, Page, WebServer, html, redirect

HOME = "https://pages.test/"
LIMITS = Limits(body_bytes=100_000, seconds=5.0)


def client_of(web: WebServer, **values: Any) -> GuardedClient:
    given = {"resolve": web.resolve, "dial": web.dial, "limits": LIMITS, **values}
    return GuardedClient(user_agent="rarrweb/test", **given)


def get(web: WebServer, url: str = HOME, **values: Any) -> WebResponse:
    return client_of(web, **values).get(url, media_types=["text/html"])


def test_a_page_is_read_with_an_honest_name_and_without_cookies(web: WebServer) -> None:
    web.pages[HOME] = html("<p>Hello.</p>", headers={"Set-Cookie": "a=b"})
    client = client_of(web)
    answer = client.get(HOME, media_types=["text/html"])
    assert b"Hello." in answer.body
    assert (answer.media_type, answer.charset) == ("text/html", "utf-8")
    assert (web.dialled, web.looked_up) == ([PUBLIC], ["pages.test"])
    client.get(HOME, media_types=["text/html"])
    assert web.headers[1]["User-Agent"] == "rarrweb/test"
    assert web.headers[1]["Host"] == "pages.test"
    assert {"cookie", "referer", "authorization"}.isdisjoint(map(str.lower, web.headers[1]))


def test_a_certificate_must_fit_the_host(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unreachable, match="its certificate is not valid"):
        get(web, "https://elsewhere.test/")
    assert web.received == []
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(Unreachable, match="its certificate is not valid"):
        get(web)


def test_a_name_that_leads_inside_is_refused(web: WebServer) -> None:
    inside = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"]
    for address in (*inside, "::ffff:127.0.0.1", "64:ff9b::a00:1"):
        web.addresses["pages.test"] = [[PUBLIC, address]]
        with pytest.raises(RefusedAddress, match=r"^pages.test leads to .* only public addresses"):
            get(web)
    assert (web.received, web.dialled) == ([], [])


def test_a_name_that_resolves_differently_is_not_resolved_again(web: WebServer) -> None:
    """Rebinding: the checked address is the one that is connected to."""
    web.pages[HOME] = html("fine")
    web.addresses["pages.test"] = [[PUBLIC], ["127.0.0.1"]]
    client = client_of(web)
    client.get(HOME, media_types=["text/html"])
    assert (web.looked_up, web.dialled) == (["pages.test"], [PUBLIC])
    with pytest.raises(RefusedAddress):
        client.get(HOME, media_types=["text/html"])
    assert web.dialled == [PUBLIC]
    web.pages[HOME] = redirect("/again")
    web.addresses["pages.test"] = [[PUBLIC], ["127.0.0.1"]]
    with pytest.raises(RefusedAddress):
        get(web)
    assert web.received == ["pages.test/", "pages.test/"]


@pytest.mark.parametrize(
    ("to", "error"),
    [
        ("https://127.0.0.1/", RefusedAddress),
        ("https://inside.pages.test/", RefusedAddress),
        ("https://[::1]/", RefusedAddress),
        ("https://[::ffff:10.0.0.1]/", RefusedAddress),
        ("http://pages.test/plain", NotHttps),
        ("https://2130706433/", BadUrl),
        ("https://user:password@pages.test/", BadUrl),
        ("https://pages.test:8888/", BadUrl),
        ("file:///etc/passwd", BadUrl),
        ("gopher://127.0.0.1:6379/_INFO", BadUrl),
    ],
)
def test_a_forbidden_address_is_refused_also_by_a_redirect(
    web: WebServer, to: str, error: type[FetchError]
) -> None:
    web.pages[HOME] = redirect(to)
    web.addresses["inside.pages.test"] = [["192.168.0.1"]]
    with pytest.raises(error):
        get(web, trusted=frozenset({"127.0.0.1:443", "pages.test:8888"}))
    assert (web.received, web.dialled) == (["pages.test/"], [PUBLIC])
    with pytest.raises(error):
        get(web, to)
    assert len(web.dialled) == 1


def test_a_redirect_to_a_good_address_is_followed_a_few_times(web: WebServer) -> None:
    web.pages[HOME] = redirect("//river.pages.test/a", status=301)
    web.pages["https://river.pages.test/a"] = redirect("b", status=307)
    web.pages["https://river.pages.test/b"] = html("there")
    assert str(get(web).url) == "https://river.pages.test/b"
    web.received.clear()
    web.pages[HOME] = redirect("/")
    with pytest.raises(TooManyRedirects, match="more than 5 times"):
        get(web)
    assert len(web.received) == 6


ZEROS = b"\0" * 50_000_000
LARGE = {
    "huge": html("x" * 200_000),  # its length is in a header, and it is not read
    "endless": Page(body=itertools.repeat(b"x" * 10_000)),
    "gzip": Page(body=gzip.compress(ZEROS), headers={"Content-Encoding": "gzip"}),
}


@pytest.mark.parametrize("page", LARGE.values(), ids=LARGE)
def test_a_body_that_is_too_large_is_cut_also_while_it_unpacks(web: WebServer, page: Page) -> None:
    web.pages[HOME] = page
    with pytest.raises(TooLarge, match=r"larger than 0.1 MB"):
        get(web)


def test_endless_chunks_are_cut(web: WebServer) -> None:
    # Much around little: each byte of the body costs six on the way.
    chunks = itertools.repeat(b"1\r\nx\r\n" * 1_000)
    web.pages[HOME] = Page(body=chunks, headers={"Transfer-Encoding": "chunked"})
    with pytest.raises((TooLarge, TooSlow)):
        get(web, limits=Limits(body_bytes=10_000, seconds=0.5))


def test_endless_headers_are_cut(web: WebServer) -> None:
    web.pages[HOME] = html("x", headers={f"X-{number}": "y" * 1_000 for number in range(200)})
    with pytest.raises(Unreachable, match="does not use HTTP"):
        get(web)


@pytest.mark.parametrize(
    ("encoding", "packed", "error"),
    [
        ("gzip", gzip.compress(b"<p>packed</p>"), None),
        ("deflate", zlib.compress(b"x"), WrongContentType),
        ("gzip, gzip", gzip.compress(gzip.compress(b"x")), WrongContentType),
        ("gzip", gzip.compress(b"x" * 999)[:-9], Unreachable),
        ("gzip", b"no gzip at all", Unreachable),
    ],
)
def test_a_packed_page_is_unpacked_or_the_fault_is_reported(
    web: WebServer, encoding: str, packed: bytes, error: type[FetchError] | None
) -> None:
    web.pages[HOME] = Page(body=packed, headers={"Content-Encoding": encoding})
    if error is None:
        assert get(web).body == b"<p>packed</p>"
        return
    with pytest.raises(error, match="is compressed"):
        get(web)


@pytest.mark.parametrize("body", [itertools.repeat(b"x"), [b"", b"x"]])
def test_a_slow_body_is_left_in_time(web: WebServer, body: Any) -> None:
    """Also one that sends a byte now and then, which resets a time-out but not a deadline."""
    web.pages[HOME] = Page(body=body, pause=0.05 if isinstance(body, itertools.repeat) else 30.0)
    with pytest.raises(TooSlow, match=r"took longer than 0.3 seconds"):
        get(web, limits=Limits(seconds=0.3))
    # Time is counted over all redirects.
    web.pages[HOME] = Page(body=[b""], status=302, headers={"Location": "/"}, pause=0.1)
    with pytest.raises(TooSlow):
        get(web, limits=Limits(seconds=0.3, redirects=1_000))


def test_a_look_up_that_is_slow_or_fails_is_reported(web: WebServer) -> None:
    def wait(host: str, port: int) -> list[str]:
        time.sleep(0.2)
        return [PUBLIC]

    def fail(host: str, port: int) -> list[str]:
        raise OSError("Name or service not known")

    with pytest.raises(TooSlow):
        get(web, resolve=wait, limits=Limits(seconds=0.05))
    with pytest.raises(Unreachable, match="no such host"):
        get(web, resolve=fail)
    assert web.dialled == []


def test_other_kinds_are_not_read(web: WebServer) -> None:
    for media_type in ("image/png", "application/zip", "text/html2", ""):
        web.pages[HOME] = html("x", media_type=media_type)
        with pytest.raises(WrongContentType, match="not text/html"):
            get(web)


def test_an_error_reports_if_it_may_pass(web: WebServer) -> None:
    for status, passes in ((404, False), (403, False), (429, True), (500, True)):
        web.pages[HOME] = Page(body=b"secret", status=status, headers={"Retry-After": "7"})
        with pytest.raises(BadStatus, match=f"status {status}") as failed:
            get(web)
        assert "secret" not in str(failed.value)
        given = (failed.value.status, failed.value.retry_after, failed.value.passes)
        assert given == (status, 7.0, passes)


def test_a_trusted_host_is_reached_by_its_entry_only() -> None:
    with WebServer(tls=False) as search:
        search.pages[f"{search.url}/search"] = Page(body=b"{}", media_type="application/json")
        client = GuardedClient(trusted=frozenset({search.host}))
        answer = client.get_trusted(
            f"{search.url}/search?q=a", media_types=["application/json"], headers={"X-Key": "k"}
        )
        assert answer.body == b"{}"
        assert (search.queries, search.headers[0]["X-Key"]) == (["q=a"], "k")
        with pytest.raises(NotHttps):
            client.get(f"{search.url}/search", media_types=["application/json"])
        with pytest.raises(NotHttps):
            GuardedClient().get_trusted(f"{search.url}/search", media_types=["application/json"])
        search.pages[f"{search.url}/search"] = redirect("/other")
        with pytest.raises(TooManyRedirects, match="configure that address"):
            client.get_trusted(f"{search.url}/search", media_types=["application/json"])
        assert len(search.received) == 2


def test_the_resolver_and_the_connection_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "127.0.0.1" in guarded.resolve_host("127.0.0.1", 80)
    with pytest.raises(ValueError, match="does not appear to be an IPv4"):
        guarded.connect("localhost", 80, 1.0)
