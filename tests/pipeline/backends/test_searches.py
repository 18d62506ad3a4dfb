"""Searches by name, alone and combined."""

from pathlib import Path

import pytest

from pipeline.backends.search_names import needs_corpus, read_search
from pipeline.backends.searches import CombinedSearch, WebClients, make_retriever
from pipeline.backends.tantivy_corpus import write_index
from pipeline.backends.web.domains import Domains
from pipeline.backends.web.guarded import GuardedClient
from pipeline.backends.web.robots import Robots
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.types import Document
from tests.support.rarr_fakes import Shelf

CLIENT = GuardedClient(trusted=frozenset({"localhost:8888"}))
WEB = WebClients(client=CLIENT, robots=Robots(client=CLIENT))


def document(name: str, url: str = "") -> Document:
    return Document(id=name, title=name, url=url, text=f"The river {name} is long.")


def shelf(*documents: Document) -> Shelf:
    """The same documents for the queries q and r."""
    return Shelf(dict.fromkeys("qr", documents))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("corpus", {"corpus": ""}),
        ("searxng:http://localhost:8888", {"searxng": "http://localhost:8888"}),
        ("json:mine+corpus", {"json": "mine", "corpus": ""}),
        (
            "corpus+searxng:https://a.org/?q+r=s+t+json:x",
            {"corpus": "", "searxng": "https://a.org/?q+r=s+t", "json": "x"},
        ),
    ],
)
def test_the_parts_of_a_name(name: str, parts: dict[str, str]) -> None:
    assert [(each.kind, each.argument) for each in read_search(name)] == [*parts.items()]
    assert needs_corpus(name) is ("corpus" in parts)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", "is not a valid retriever: choose one of corpus, json, searxng"),
        ("google", "is not a valid retriever"),
        ("corpus:mine", "corpus takes no argument"),
        ("json", "json needs a search: write json:NAME"),
        ("searxng:file:///etc", "has no server"),
        ("searxng:https://[", "has no server"),
        ("corpus+", "is not a valid retriever"),
        ("json:a+json:a", "is given twice"),
    ],
)
def test_a_name_without_meaning_is_refused(name: str, expected: str) -> None:
    with pytest.raises(BadConfig, match=expected):
        read_search(name)


def test_results_are_interleaved_and_each_page_occurs_once() -> None:
    a, b, c = (document(name, f"https://{name}.test/") for name in "abc")
    b_too = document("web b", "http://www.b.test")
    local = document("no address")
    both = CombinedSearch(retrievers=(shelf(a, b, local), shelf(b_too, c)))
    assert both.search(["q", "r"], limit=4) == [[a, b_too, c, local]] * 2
    assert both.search(["q"], limit=2) == [[a, b_too]]
    assert CombinedSearch(retrievers=(shelf(), shelf())).search(["q"], limit=2) == [[]]


def test_a_corpus_is_searched_without_the_domains_excluded(tmp_path: Path) -> None:
    write_index(
        tmp_path / "index",
        [document(f"w{n}", f"https://en.wiki.test/{n}") for n in range(6)]
        + [document("own", "https://own.test/"), document("file")],
    )

    def sources_of(**domains: str) -> set[str]:
        known = Domains.read(**domains)
        made = make_retriever("corpus", index=tmp_path / "index", domains=known, web=WEB)
        return {each.id for each in made.search(["long river"], limit=3)[0]}

    assert len(sources_of()) == 3
    assert sources_of(excluded="wiki.test") == {"own", "file"}
    assert sources_of(allowed="own.test") == {"own", "file"}


def test_a_search_that_cannot_be_made_gives_the_reason(tmp_path: Path) -> None:
    for name, expected in [
        ("corpus+searxng:http://localhost:8888", "needs a corpus: name one"),
        ("searxng:http://localhost:9999", "RARR_TRUSTED_HOSTS=localhost:9999"),
        ("json:mine", "needs RARR_SEARCH_ENGINES"),
    ]:
        with pytest.raises(BadConfig, match=expected):
            make_retriever(name, index=None, domains=Domains(), web=WEB)
