"""SearXNG's JSON interface, against a server that answers like it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from pipeline.backends.json_search import JsonSearch, searxng
from pipeline.backends.web.guarded import GuardedClient
from pipeline.backends.web.retriever import Hit
from pipeline.rarr.errors import BadConfig, TransientError
from tests.support.web_server import Page, WebServer

RESULTS = {
    "query": "q",
    "results": [
        {"url": "https://a.test/", "title": "A", "engine": "one"},
        {"url": "https://b.test/", "title": None},
        {"title": "no address"},
        "no result",
        {"url": "https://c.test/", "title": "C"},
    ],
    "unresponsive_engines": [["two", "timeout"]],
}


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer(tls=False) as running:
        running.pages[f"{running.url}/search"] = answer(RESULTS)
        yield running


def answer(plain: Any, **values: Any) -> Page:
    body = plain if isinstance(plain, bytes) else json.dumps(plain).encode()
    return Page(body=body, **{"media_type": "application/json", **values})


def engine(server: WebServer, *, path: str = "", waited: list[float] | None = None) -> JsonSearch:
    client = GuardedClient(trusted=frozenset({server.host}))
    made = searxng(f"{server.url}{path}", client=client)
    return replace(made, sleep=([] if waited is None else waited).append)


def test_results_are_read_in_order(server: WebServer) -> None:
    found = engine(server).find("What is a & b?", limit=2)
    assert found == [Hit(url="https://a.test/", title="A"), Hit(url="https://b.test/", title="")]
    assert server.queries == ["q=What%20is%20a%20%26%20b%3F&format=json"]


@pytest.mark.parametrize(
    ("path", "asked", "query"),
    [
        ("/", "/search", "q=q&format=json"),
        ("/search", "/search", "q=q&format=json"),
        ("/sx/?engines=one,two&language=en", "/sx/search", "q=q&format=json&engines=one,two&"),
    ],
)
def test_the_server_may_stand_in_a_folder_and_have_parameters(
    server: WebServer, path: str, asked: str, query: str
) -> None:
    server.pages[f"{server.url}/sx/search"] = answer(RESULTS)
    assert len(engine(server, path=path).find("q", limit=9)) == 3
    assert server.asked == [f"{server.host}{asked}"]
    assert server.queries[0].startswith(query)


@pytest.mark.parametrize(
    ("page", "says"),
    [
        (answer(b"<html>"), "no JSON"),
        (answer(b'{"results": ['), "no JSON"),
        (answer(b"[" * 100_000), "no JSON"),
        (answer({"results": 5}), "no list of results"),
        (answer({"results": []} | {"unresponsive_engines": [["one", "CAPTCHA"], "two"]}),
         r'did not answer: \[\["one", "CAPTCHA"\], "two"\]'),
        (answer(b"", media_type="text/html"), "is text/html, not application/json"),
        (answer(b"secret words", status=500), "status 500"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_another_tries_matter(
    server: WebServer, page: Page, says: str
) -> None:
    server.pages[f"{server.url}/search"] = page
    with pytest.raises(TransientError, match=says) as failed:
        engine(server).find("q", limit=5)
    assert "secret" not in str(failed.value)


def test_a_search_without_results_is_no_failure(server: WebServer) -> None:
    server.pages[f"{server.url}/search"] = answer({"results": [], "unresponsive_engines": []})
    assert engine(server).find("q", limit=5) == []


def test_a_busy_server_is_asked_again_when_it_says(server: WebServer) -> None:
    server.pages[f"{server.url}/search"] = answer({}, status=429, headers={"Retry-After": "3"})
    waited: list[float] = []
    with pytest.raises(TransientError, match="status 429"):
        engine(server, waited=waited).find("q", limit=5)
    assert len(server.asked) == 3
    assert [3.0 <= wait <= 4.0 for wait in waited] == [True, True]


def test_a_server_that_asks_for_a_long_pause_is_left(server: WebServer) -> None:
    server.pages[f"{server.url}/search"] = answer({}, status=503, headers={"Retry-After": "999"})
    with pytest.raises(TransientError, match="status 503"):
        engine(server).find("q", limit=5)
    assert len(server.asked) == 1


def test_json_switched_off_is_said_with_the_fix(server: WebServer) -> None:
    server.pages[f"{server.url}/search"] = answer({}, status=403)
    with pytest.raises(BadConfig, match=r"add json to search.formats in its settings.yml"):
        engine(server).find("q", limit=5)


def test_a_server_that_is_down_is_another_tries_matter(server: WebServer) -> None:
    down = engine(server)
    # First the loop that accepts: a connection that it takes up breaks, and is not refused.
    server._server.shutdown()
    server._server.server_close()
    with pytest.raises(TransientError, match=r"cannot be reached \(no connection\)"):
        down.find("q", limit=5)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://localhost:8888", r"add it to RARR_TRUSTED_HOSTS \(.*localhost:8888\)"),
        ("https://searx.example.org:8443", "add it to RARR_TRUSTED_HOSTS"),
        ("https://user:secret@searx.example.org", "holds a user name or a password"),
    ],
)
def test_an_address_that_cannot_be_asked_is_said_before_the_first_search(
    url: str, says: str
) -> None:
    with pytest.raises(BadConfig, match=says):
        searxng(url, client=GuardedClient())


def test_a_private_server_that_nobody_trusts_is_not_asked() -> None:
    client = GuardedClient(resolve=lambda host, port: ["10.0.0.1"])
    engine = searxng("https://searx.example.org", client=client)
    with pytest.raises(BadConfig, match=r"private address.*RARR_TRUSTED_HOSTS=searx.example.org"):
        engine.find("q", limit=5)
