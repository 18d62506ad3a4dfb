"""Search engines described in a file, SearXNG among them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.backends.json_search import JsonSearch, read_engine, searxng
from pipeline.backends.web.guarded import GuardedClient
from pipeline.backends.web.retriever import Hit
from pipeline.rarr.errors import BadConfig, TransientError
from tests.support.web_server import Page, WebServer

WHOLE = """
url = "{base}/find?q={{query}}&n={{limit}}"
results = "web.results"
address = "link.href"
title = "names.0"
key_header = "X-Key"
key_env = "TEST_ENGINE_KEY"
key_prefix = "Bearer "
most = 3
"""
LINKS = [
    {"link": {"href": "https://a.test/"}, "names": ["A", "a"]},
    {"link": {"href": 5}, "names": []},
    {"link": {"href": "https://b.test/"}},
]


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
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    monkeypatch.setenv("TEST_ENGINE_KEY", " k/1 ")
    with WebServer(tls=False) as running:
        running.pages[f"{running.url}/find"] = page({"web": {"results": LINKS}})
        running.pages[f"{running.url}/search"] = page(RESULTS)
        yield running


def page(plain: Any, **values: Any) -> Page:
    body = plain if isinstance(plain, bytes) else json.dumps(plain).encode()
    return Page(body=body, **{"media_type": "application/json", **values})


def engine(server: WebServer, folder: Path, text: str = WHOLE) -> JsonSearch:
    (folder / "mine.toml").write_text(text.format(base=server.url))
    client = GuardedClient(trusted=frozenset({server.host}))
    return read_engine("mine", folder=folder, client=client)


def test_results_are_read_by_the_files_paths(server: WebServer, tmp_path: Path) -> None:
    hits = engine(server, tmp_path).find("a&b={limit}", limit=9)
    assert hits == [Hit(url="https://a.test/", title="A"), Hit(url="https://b.test/", title="")]
    assert server.queries == ["q=a%26b%3D%7Blimit%7D&n=3"]
    assert server.headers[0]["X-Key"] == "Bearer k/1"


def test_a_key_of_the_address_is_in_no_error(server: WebServer, tmp_path: Path) -> None:
    text = 'url = "{base}/find?q={{query}}&key={{key}}"\nresults = "web.results"\n'
    mine = engine(server, tmp_path, text + 'address = "link.href"\nkey_env = "TEST_ENGINE_KEY"\n')
    assert len(mine.find("q", limit=9)) == 2
    assert server.queries == ["q=q&key=k%2F1"]
    assert "k/1" not in mine.identity
    server.pages[f"{server.url}/find"] = page({}, status=500)
    with pytest.raises(TransientError, match="status 500") as failed:
        replace(mine, sleep=lambda seconds: None).find("q", limit=9)
    assert "k%2F1" not in str(failed.value)


def test_the_identity(server: WebServer, tmp_path: Path) -> None:
    mine = engine(server, tmp_path)
    others = {
        "results": "hits",
        "address": "url",
        "title": "names.1",
        "most": 2,
        "silent": "failed",
    }
    others |= {"url": "https://a.test/?q={query}", "body": '{"q": "{query}"}'}
    for field, value in others.items():
        assert replace(mine, **{field: value}).identity != mine.identity, field
    other = replace(mine, name="other", key_env="K", key_header="Authorization", key_prefix="")
    assert other.identity == mine.identity


QUERY = '{{"q": "{{query}}", "num": {{limit}}, "lang": "en"}}'
POSTING = f"""
url = "{{base}}/find"
body = '{QUERY}'
results = "web.results"
address = "link.href"
"""


def test_a_query_is_posted_where_the_file_has_a_body(server: WebServer, tmp_path: Path) -> None:
    mine = engine(server, tmp_path, POSTING)
    query = 'when did "Müller" {limit}\n'
    assert [hit.url for hit in mine.find(query, limit=9)] == ["https://a.test/", "https://b.test/"]
    assert list(map(json.loads, server.bodies)) == [{"q": query, "num": 9, "lang": "en"}]
    assert server.headers[0]["Content-Type"] == "application/json"
    assert mine.identity != engine(server, tmp_path, POSTING.replace("en", "de")).identity


def test_a_missing_or_refused_key(
    server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_ENGINE_KEY")
    with pytest.raises(BadConfig, match="set the environment variable TEST_ENGINE_KEY"):
        engine(server, tmp_path).find("q", limit=5)
    assert server.received == []
    monkeypatch.setenv("TEST_ENGINE_KEY", "wrong")
    server.pages[f"{server.url}/find"] = page({}, status=401)
    with pytest.raises(BadConfig, match=r"\(status 401\): .* the key in TEST_ENGINE_KEY"):
        engine(server, tmp_path).find("q", limit=5)


def test_the_list_may_be_missing_or_at_the_top(server: WebServer, tmp_path: Path) -> None:
    server.pages[f"{server.url}/find"] = page({"took": 3})
    assert engine(server, tmp_path).find("q", limit=5) == []
    server.pages[f"{server.url}/find"] = page([{"u": "https://a.test/"}])
    mine = engine(server, tmp_path, 'url="{base}/find?q={{query}}"\nresults=""\naddress="u"')
    assert [hit.url for hit in mine.find("q", limit=5)] == ["https://a.test/"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no = toml =", "is not valid TOML"),
        ('results = ""\naddress = "u"', "lacks url"),
        ('url = "https://a.org/{{query}}"\naddress = "u"', "lacks results"),
        ('url = "https://a.org/"\nresults = ""\naddress = "u"', r"holds no \{query\}"),
        ('url = 5\nresults = ""\naddress = "u"', "url is not a text"),
        ('url = "http://a.org/{{query}}"\nresults = ""\naddress = "u"', "RARR_TRUSTED_HOSTS=a.org"),
        (WHOLE + "other = 1", "holds other: known are"),
        (WHOLE.replace("most = 3", "most = 0"), "most is 0: write 1 or more"),
        (WHOLE.replace('key_header = "X-Key"', ""), "write both"),
        (WHOLE.replace('key_env = "TEST_ENGINE_KEY"', ""), "write both"),
        (POSTING.replace(QUERY, "q={{query}}"), "body is not valid JSON"),
        (POSTING.replace(QUERY, '{{"q": "x"}}'), "holds no {query}"),
        (POSTING.replace(QUERY, ""), "no {query}"),
    ],
)
def test_a_wrong_file(server: WebServer, tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(BadConfig, match=expected):
        engine(server, tmp_path, text)
    with pytest.raises(BadConfig, match=r"none.toml cannot be read"):
        read_engine("none", folder=tmp_path, client=GuardedClient())
    with pytest.raises(BadConfig, match="needs RARR_SEARCH_ENGINES"):
        read_engine("none", folder=None, client=GuardedClient())
    with pytest.raises(BadConfig, match="is not an engine"):
        read_engine("../none", folder=tmp_path, client=GuardedClient())


def searx(server: WebServer, *, path: str = "", waited: list[float] | None = None) -> JsonSearch:
    client = GuardedClient(trusted=frozenset({server.host}))
    made = searxng(f"{server.url}{path}", client=client)
    return replace(made, sleep=([] if waited is None else waited).append)


def test_searxngs_results_are_read_in_order(server: WebServer) -> None:
    hits = searx(server).find("What is a & b?", limit=2)
    assert hits == [Hit(url="https://a.test/", title="A"), Hit(url="https://b.test/", title="")]
    assert server.queries == ["q=What%20is%20a%20%26%20b%3F&format=json"]


def test_addresses_of_searxng(server: WebServer) -> None:
    server.pages[f"{server.url}/sx/search"] = page(RESULTS)
    for path in ("/", "/search", "/sx/?engines=one,two&language=en"):
        assert len(searx(server, path=path).find("q", limit=9)) == 3
    assert server.received == [f"{server.host}{path}search" for path in ("/", "/", "/sx/")]
    assert all(query.startswith("q=q&format=json") for query in server.queries)
    assert server.queries[2].startswith("q=q&format=json&engines=one,two&")


NO_JSON = (b"<html>", b'{"results": [', b"[" * 100_000)
FAILED_ENGINES = {"results": [], "unresponsive_engines": [["one", "CAPTCHA"], "two"]}


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        *((page(body), "did not return JSON") for body in NO_JSON),
        (page({"results": 5}), "no list of results at 'results'"),
        (page("words"), "returned no list of results"),
        (page({"results": [{"href": "x"}]}), "without an address at 'url'"),
        (page(FAILED_ENGINES), r'engines failed: \[\["one", "CAPTCHA"\], "two"\]'),
        (page(b"", media_type="text/html"), "is text/html, not application/json"),
        (page(b"secret words", status=500), "status 500"),
        (page({}, status=403), r"add json to search.formats in its settings.yml"),
    ],
)
def test_what_cannot_be_read_is_reported(server: WebServer, page: Page, expected: str) -> None:
    server.pages[f"{server.url}/search"] = page
    error = BadConfig if page.status == 403 or "address" in expected else TransientError
    with pytest.raises(error, match=expected) as failed:
        searx(server).find("q", limit=5)
    assert "secret" not in str(failed.value)
    assert len(server.received) == (3 if page.status == 500 else 1)


def test_an_overloaded_server_gets_retries_after_a_short_retry_time(server: WebServer) -> None:
    server.pages[f"{server.url}/search"] = page({}, status=429, headers={"Retry-After": "3"})
    waited: list[float] = []
    with pytest.raises(TransientError, match="status 429"):
        searx(server, waited=waited).find("q", limit=5)
    assert len(server.received) == 3
    assert [3.0 <= wait <= 4.0 for wait in waited] == [True, True]
    server.received.clear()
    server.pages[f"{server.url}/search"] = page({}, status=503, headers={"Retry-After": "999"})
    with pytest.raises(TransientError, match="status 503"):
        searx(server).find("q", limit=5)
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://localhost:8888", r"add it to RARR_TRUSTED_HOSTS \(.*localhost:8888\)"),
        ("https://searx.example.org:8443", "add it to RARR_TRUSTED_HOSTS"),
        ("https://user:secret@searx.example.org", "contains a user name or a password"),
    ],
)
def test_a_wrong_address_is_reported_before_the_first_search(url: str, expected: str) -> None:
    with pytest.raises(BadConfig, match=expected):
        searxng(url, client=GuardedClient())
    client = GuardedClient(resolve=lambda host, port: ["10.0.0.1"])
    engine = searxng("https://searx.example.org", client=client)
    with pytest.raises(BadConfig, match=r"a private or .*RARR_TRUSTED_HOSTS=searx.example.org"):
        engine.find("q", limit=5)
