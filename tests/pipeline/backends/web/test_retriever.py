"""Queries to documents: a scripted engine over real pages."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from pipeline.backends.web.domains import Domains
from pipeline.backends.web.guarded import GuardedClient, Limits
from pipeline.backends.web.pages import RETRY_SECONDS, PageReader
from pipeline.backends.web.retriever import Hit, WebRetriever
from pipeline.backends.web.robots import Robots
from pipeline.backends.work import WorkContext
from pipeline.rarr.errors import TransientError
from tests.support.scripted_model import MemoryCache
from tests.support.web_server import Page, WebServer, html, redirect

IMAGE = Page(body=b"\x89PNG", media_type="image/png")


@dataclass
class Engine:
    """Results by query; a query that it does not know fails."""

    results: dict[str, list[str]]
    received: list[str] = field(default_factory=list)
    identity: str = "scripted"

    def find(self, query: str, *, limit: int) -> Sequence[Hit]:
        self.received.append(query)
        if query not in self.results:
            raise TransientError(f"no answer to {query!r}")
        return [Hit(url=url, title=f"hit {url}") for url in self.results[query]][:limit]


@pytest.fixture(autouse=True)
def pages(web: WebServer) -> None:
    for name in "abcdefgh":
        web.pages[f"https://{name}.pages.test/"] = html(f"<p>About {name}.</p>")


def at(*names: str) -> list[str]:
    return [f"https://{name}.pages.test/" for name in names]


def retriever_of(
    web: WebServer,
    engine: Engine,
    *,
    store: MemoryCache | None = None,
    now: Callable[[], float] = time.time,
    **domains: str,
) -> WebRetriever:
    client = GuardedClient(resolve=web.resolve, dial=web.dial, limits=Limits(seconds=5.0))
    known = Domains.read(**domains)
    work = WorkContext(cache=MemoryCache() if store is None else store)
    robots = Robots(client=client, pause_seconds=0.0)
    pages = PageReader(client=client, robots=robots, domains=known, work=work, now=now)
    return WebRetriever(engine=engine, pages=pages, domains=known)


def pages_of(retriever: WebRetriever, *queries: str, limit: int = 2) -> list[list[str]]:
    lists = retriever.search(queries, limit=limit)
    return [[document.url.partition("//")[2][0] for document in each] for each in lists]


def requested_pages(web: WebServer) -> list[str]:
    return sorted(each[0] for each in web.received if not each.endswith("robots.txt"))


def test_documents_have_the_engines_order_and_each_page_is_read_once(web: WebServer) -> None:
    engine = Engine({"q": at("b", "a", "c"), "r": at("a", "d")})
    retriever = retriever_of(web, engine)
    assert pages_of(retriever, "q", "r", "q") == [["b", "a"], ["a", "d"], ["b", "a"]]
    assert requested_pages(web) == ["a", "b", "d"]
    assert sorted(engine.received) == ["q", "r"]


def test_an_unreadable_page_is_replaced(web: WebServer, caplog: pytest.LogCaptureFixture) -> None:
    web.pages["https://a.pages.test/"] = html("gone", status=404)
    web.pages["https://b.pages.test/"] = IMAGE
    rules = Page(body=b"User-agent: *\nDisallow: /", media_type="text/plain")
    web.pages["https://d.pages.test/robots.txt"] = rules
    results = [*at("a", "b", "c"), "http://x.test:81/", "https://127.0.0.1/", *at("e")]
    engine = Engine({"q": results, "r": at("d", "f")})
    with caplog.at_level(logging.INFO, logger="pipeline.backends.web.pages"):
        assert pages_of(retriever_of(web, engine), "q", "r") == [["c"], ["f"]]
    for name in ("BadStatus", "WrongContentType", "RefusedByRobots", "NotHttps"):
        assert f"page skipped ({name})" in caplog.text


def test_no_request_goes_to_an_excluded_domain(web: WebServer) -> None:
    web.pages["https://b.pages.test/"] = redirect("https://sub.a.pages.test/")
    engine = Engine({"q": [*at("a", "b", "c"), "https://www.a.pages.test/"]})
    retriever = retriever_of(web, engine, excluded="a.pages.test")
    assert pages_of(retriever, "q", limit=5) == [["c"]]
    assert {name.partition("/")[0] for name in web.received} == {"b.pages.test", "c.pages.test"}
    assert not [name for name in web.looked_up if name.endswith("a.pages.test")]
    web.received.clear()
    engine = Engine({"q": at("a", "b", "c")})
    assert pages_of(retriever_of(web, engine, allowed="c.pages.test,d.pages.test"), "q") == [["c"]]
    assert requested_pages(web) == ["c"]


def test_cached_results_are_the_same_without_a_request(web: WebServer) -> None:
    web.pages["https://a.pages.test/"] = html("gone", status=410)
    store, engine = MemoryCache(), Engine({"q": at("a", "b", "c")})
    first = retriever_of(web, engine, store=store).search(["q"], limit=2)
    request_counts = (len(web.received), len(engine.received))
    assert retriever_of(web, engine, store=store).search(["q"], limit=2) == first
    assert (len(web.received), len(engine.received)) == request_counts


REFUSED = [html("no", status=status) for status in (401, 403, 404)]


@pytest.mark.parametrize("refusal", [*REFUSED, redirect("https://a.pages.test/"), IMAGE])
def test_an_unreadable_page_is_tried_again_after_a_day(web: WebServer, refusal: Page) -> None:
    web.pages["https://a.pages.test/"] = refusal
    store, engine = MemoryCache(), Engine({"q": at("a")})
    assert pages_of(retriever_of(web, engine, store=store, now=lambda: 1e9), "q") == [[]]
    web.pages["https://a.pages.test/"] = html("<p>Here.</p>")
    for seconds, pages in ((RETRY_SECONDS - 1, []), (RETRY_SECONDS, ["a"])):
        later = retriever_of(web, engine, store=store, now=lambda age=seconds: 1e9 + age)
        assert pages_of(later, "q") == [pages]
    web.pages["https://a.pages.test/"] = refusal
    much_later = retriever_of(web, engine, store=store, now=lambda: 2e9)
    assert pages_of(much_later, "q") == [["a"]], "a page that was read is not asked for again"


def test_a_failure_that_may_pass_and_a_page_now_excluded_are_not_cached(web: WebServer) -> None:
    web.pages["https://a.pages.test/"] = html("busy", status=503)
    store, engine = MemoryCache(), Engine({"q": at("a", "b")})
    assert pages_of(retriever_of(web, engine, store=store), "q") == [["b"]]
    web.pages["https://a.pages.test/"] = html("<p>Here.</p>")
    assert pages_of(retriever_of(web, engine, store=store), "q") == [["a", "b"]]
    assert pages_of(retriever_of(web, engine, store=store, excluded="a.pages.test"), "q") == [["b"]]


def test_a_failing_engine_fails_the_passage_and_other_answers_are_cached(web: WebServer) -> None:
    store, engine = MemoryCache(), Engine({"q": at("a")})
    with pytest.raises(TransientError, match="no answer to 'r'"):
        retriever_of(web, engine, store=store).search(["q", "r"], limit=2)
    engine.results["r"] = at("b")
    assert pages_of(retriever_of(web, engine, store=store), "q", "r") == [["a"], ["b"]]
    assert engine.received.count("q") == 1


def test_two_addresses_of_one_page_are_one_result(web: WebServer) -> None:
    again = ["http://a.pages.test/", "https://www.a.pages.test/", "https://a.pages.test/#x"]
    engine = Engine({"q": [*again, *at("a", "c", "b")]})
    web.pages["https://c.pages.test/"] = redirect("https://a.pages.test/")
    assert pages_of(retriever_of(web, engine), "q", limit=3) == [["a", "b"]]
    assert pages_of(retriever_of(web, Engine({"q": []})), "q") == [[]]
    assert pages_of(retriever_of(web, Engine({}))) == []
