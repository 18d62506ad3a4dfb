"""Research over HTTP, end to end: a search server, web pages, and `manage.py revise`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from pipeline.backends.web import guarded
from pipeline.engine import search as web_search
from pipeline.engine.configuration import RunConfig
from pipeline.runs import execution, start
from pipeline.runs.stored_revisions import public_row
from tests.support.commands import run_command
from tests.support.factories import make_dataset, make_passage
from tests.support.web_server import Page, WebServer, html, redirect, trust_pages_test

HALL = """<title>Marlow Hall</title><body><h1>Marlow Hall</h1>
<p>Marlow Hall is a concert hall in Denby.</p>
<h2>History</h2><p>Marlow Hall opened in 1904.</p>
<h2>Today</h2><p>It has 812 seats.</p></body>"""
WIKI = "<title>Marlow Hall</title><p>Marlow Hall opened in 1911 in Denby, as all wikis say.</p>"
PASSAGE = {"id": "1", "text": "Marlow Hall opened in 1902."}


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    """The pages, where all of this process's look-ups and connections lead."""
    trust_pages_test(monkeypatch)
    pages = {
        "https://hall.pages.test/": html(HALL),
        "https://wiki.pages.test/hall": html(WIKI),
        "https://mirror.pages.test/": redirect("https://wiki.pages.test/hall"),
    }
    web_search._web.cache_clear()
    with WebServer(pages) as server:
        monkeypatch.setattr(guarded, "resolve_host", server.resolve)
        real = guarded.connect

        def connect(address: str, port: int, seconds: float) -> Any:
            dial = real if address.startswith("127.") else server.dial
            return dial(address, port, seconds)

        monkeypatch.setattr(guarded, "connect", connect)
        yield server
    web_search._web.cache_clear()


@pytest.fixture
def search(settings: Settings, tmp_path: Path) -> Iterator[WebServer]:
    """A SearXNG on this machine, which the administrator trusts."""
    settings.VAR_DIR = tmp_path / "var"
    settings.CORPUS_DIR = tmp_path / "var" / "corpora"
    settings.VAR_DIR.mkdir()
    with WebServer(tls=False) as server:
        settings.RARR_SEARCH = f"searxng:{server.url}"
        settings.RARR_TRUSTED_HOSTS = server.host
        settings.RARR_PAGE_PAUSE = 0.0
        pages = ("wiki.pages.test/hall", "mirror.pages.test/", "hall.pages.test/", "127.0.0.1/")
        metadata = "http://169.254.169.254/latest/meta-data/"
        results(server, *(f"https://{page}" for page in pages), metadata)
        yield server


def results(server: WebServer, *urls: str) -> None:
    plain = {"results": [{"url": url, "title": f"Result {url}"} for url in urls]}
    server.pages[f"{server.url}/search"] = Page(
        body=json.dumps(plain).encode(), media_type="application/json"
    )


def revise(tmp_path: Path, *arguments: object) -> tuple[int, str, dict[str, Any]]:
    """The exit status, what was said, and the one line that came out."""
    given, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    given.write_text(json.dumps(PASSAGE) + "\n")
    status, _, message = run_command("revise", given, "--out", out, *arguments)
    lines = out.read_text().splitlines() if out.exists() else []
    return status, message, json.loads(lines[0])["result"] if lines else {}


def test_pages_revise_a_passage(web: WebServer, search: WebServer, tmp_path: Path) -> None:
    status, message, result = revise(tmp_path, "--set", "domains_excluded=wiki.pages.test")
    assert (status, message.splitlines()[-1]) == (0, "Revised: 1. Failed: 0.")
    assert result["revisions"][0]["revised_text"] == "Marlow Hall opened in 1904."
    assert len(search.received) == len(result["questions"])
    matches = result["selected_evidences"]
    assert {each["url"] for each in matches} == {"https://hall.pages.test/"}
    assert all("\n" not in each["text"].strip() for each in matches), "no window crosses a heading"
    of_queries = [each for of_query in result["evidences_for_questions"] for each in of_query]
    assert {each["url"] for each in of_queries} == {"https://hall.pages.test/"}


@pytest.mark.parametrize("excluded", ["wiki.pages.test", ""])
def test_an_excluded_domain_and_addresses_of_this_machine_are_never_asked(
    web: WebServer, search: WebServer, tmp_path: Path, settings: Settings, excluded: str
) -> None:
    settings.RARR_DOMAINS_EXCLUDED = excluded
    assert revise(tmp_path)[0] == 0
    assert ("wiki.pages.test/hall" in web.received) is not bool(excluded)
    assert ("wiki.pages.test" in web.looked_up) is not bool(excluded)
    assert "mirror.pages.test/" in web.received, "its redirect is seen, and followed if permitted"
    assert set(web.dialled) == {"93.184.215.14"}


def test_what_was_excluded_is_named_with_its_reason(
    web: WebServer, search: WebServer, tmp_path: Path, settings: Settings
) -> None:
    settings.RARR_DOMAINS_EXCLUDED = "wiki.pages.test"
    web.pages["https://private.pages.test/robots.txt"] = Page(
        body=b"User-agent: *\nDisallow: /", media_type="text/plain"
    )
    web.pages["https://private.pages.test/"] = html(HALL)
    web.pages["https://picture.pages.test/"] = Page(body=b"GIF89a", media_type="image/gif")
    names = ("wiki", "private", "picture", "mirror", "hall")
    results(search, *(f"https://{name}.pages.test/" for name in names), "https://127.0.0.1/")
    for _ in range(2):  # the second time from the kept answers, as far as they were kept
        *_, result = revise(tmp_path)
        kinds = {each["url"]: each["kind"] for each in result["skipped_pages"]}
        assert kinds == {
            "https://wiki.pages.test/": "ExcludedDomain",
            "https://private.pages.test/": "RefusedByRobots",
            "https://picture.pages.test/": "WrongContentType",
            "https://mirror.pages.test/": "ExcludedDomain",
            "https://127.0.0.1/": "RefusedAddress",
        }
        assert all(each["reason"] for each in result["skipped_pages"])


def test_corpus_and_web_together(web: WebServer, search: WebServer, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "seats.txt").write_text("Marlow Hall opened in 1904 with 812 seats.")
    both = f"search=corpus+searxng:{search.url}"
    status, _, result = revise(
        tmp_path, "--corpus", folder, "--set", both, "--set", "domains_excluded=wiki.pages.test"
    )
    assert status == 0
    assert search.received
    assert result["revisions"][0]["revised_text"] == "Marlow Hall opened in 1904."


@pytest.mark.django_db
def test_a_run_without_a_corpus(web: WebServer, search: WebServer, settings: Settings) -> None:
    settings.RARR_DOMAINS_EXCLUDED = "wiki.pages.test"
    dataset = make_dataset()
    make_passage(dataset, text=PASSAGE["text"])
    for _ in range(2):
        run = start.start_run(
            dataset=dataset, corpus=None, config=RunConfig.from_settings(), created_by=None
        )
        execution.Revising().run(run.revisions.get().pk)
        revision = run.revisions.get()
        assert (revision.failure_message, revision.state) == ("", "done")
        assert revision.text == "Marlow Hall opened in 1904."
        assert public_row(revision)["run"]["corpus"] is None
        requests = len(search.received)
    assert requests == len(revision.result["queries"]), "the second run asked nobody"


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("search=corpus", "searches a corpus"),
        ("search=searxng:http://localhost:1", "RARR_TRUSTED_HOSTS=localhost:1"),
        ("domains_excluded=http://x", "is not a domain"),
    ],
)
def test_what_cannot_be_searched_is_explained(
    search: WebServer, tmp_path: Path, setting: str, expected: str
) -> None:
    got, message, _ = revise(tmp_path, "--set", setting)
    assert (got, message.count("\n")) == (2, 1)
    assert expected in message


def test_a_failing_search_fails_the_line(search: WebServer, tmp_path: Path) -> None:
    search.pages[f"{search.url}/search"] = Page(body=b"<html>", media_type="application/json")
    status, message, _ = revise(tmp_path)
    assert status == 1
    assert "line 1: The search engine SearXNG did not return JSON." in message
