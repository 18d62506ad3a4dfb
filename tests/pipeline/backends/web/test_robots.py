"""What sites allow, and how often they are asked."""

from typing import Any

import pytest

from pipeline.backends.web.addresses import read_url
from pipeline.backends.web.errors import RefusedAddress, RefusedByRobots, TooSlow
from pipeline.backends.web.guarded import GuardedClient
from pipeline.backends.web.robots import Robots
from tests.support.web_server import PUBLIC, Page, WebServer, html, redirect

ROBOTS = "https://pages.test/robots.txt"
PAGE = read_url("https://pages.test/a?b=c")


def robots_of(web: WebServer, **values: Any) -> Robots:
    client = GuardedClient(resolve=web.resolve, dial=web.dial)
    return Robots(client=client, **{"pause_seconds": 0.0, **values})


def plain(text: str, **values: Any) -> Page:
    return Page(body=text.encode(), media_type="text/plain", **values)


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: *\nDisallow: /a",
        "User-agent: rarrweb\nDisallow: /\n\nUser-agent: *\nAllow: /",
        "\ufeffUser-agent: *\nDisallow: /*?b=",
    ],
)
def test_a_site_may_say_no(web: WebServer, text: str) -> None:
    web.pages[ROBOTS] = plain(text)
    robots = robots_of(web)
    for _ in range(2):
        with pytest.raises(RefusedByRobots, match=r"disallowed by robots.txt of pages.test"):
            robots.check(PAGE)
    assert web.received == ["pages.test/robots.txt"]


def test_what_contains_no_rule_for_the_page_allows_it(web: WebServer) -> None:
    texts = ["User-agent: *\nDisallow: /b", "User-agent: other\nDisallow: /", "\0\xff no rules", ""]
    failures = [html("gone", status=404), html("forbidden", status=403), redirect("/robots.txt")]
    image = Page(body=b"\x89PNG", media_type="image/png")
    for page in (*map(plain, texts), *failures, image):
        web.pages[ROBOTS] = page
        robots_of(web).check(PAGE)


def test_an_unavailable_robots_file_refuses_the_page(web: WebServer) -> None:
    failures = [html("broken", status=503), html("busy", status=429)]
    for page in (*failures, plain(f"Allow: /\n{'#' * 600_000}")):
        web.pages[ROBOTS] = page
        with pytest.raises(RefusedByRobots, match=r"pages.test did not send its robots.txt"):
            robots_of(web).check(PAGE)


def test_a_site_inside_is_refused_as_such(web: WebServer) -> None:
    web.addresses["pages.test"] = [["10.0.0.1"]]
    with pytest.raises(RefusedAddress):
        robots_of(web).check(PAGE)
    web.addresses["pages.test"] = [[PUBLIC]]
    web.pages[ROBOTS] = redirect("https://127.0.0.1/robots.txt")
    with pytest.raises(RefusedAddress):
        robots_of(web).check(PAGE)


def test_each_host_has_its_robots_file(web: WebServer) -> None:
    web.pages[ROBOTS] = plain("User-agent: *\nDisallow: /")
    robots_of(web).check(read_url("https://river.pages.test/a"))
    assert web.received == ["river.pages.test/robots.txt"]


def test_requests_to_one_host_pause_and_a_crawl_delay_wins_up_to_a_limit(web: WebServer) -> None:
    waited: list[float] = []
    robots = robots_of(web, pause_seconds=2.0, wait=waited.append)
    for path in ("a", "b", "c"):
        robots.check(read_url(f"https://pages.test/{path}"))
    robots.check(read_url("https://river.pages.test/"))
    assert waited == [pytest.approx(2.0, abs=0.5), pytest.approx(4.0, abs=0.5)]
    waited.clear()
    web.pages[ROBOTS] = plain("User-agent: *\nCrawl-delay: 3600")
    robots = robots_of(web, wait=waited.append)
    robots.check(PAGE)
    robots.check(PAGE)
    assert waited == [pytest.approx(10.0, abs=0.5)]


def test_a_long_queue_is_refused(web: WebServer) -> None:
    robots = robots_of(web, pause_seconds=10.0, wait=lambda seconds: None)
    for _ in range(7):
        robots.check(PAGE)
    with pytest.raises(TooSlow, match="too many requests queued"):
        robots.check(PAGE)
