"""From queries to the best snippets."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pipeline.rarr.configuration import RarrConfig, with_settings
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.retrieval import retrieve
from pipeline.rarr.types import Document, Evidence, Query
from tests.support.rarr_fakes import SharedWords, Shelf, Splitter, document, make_components

RIVER = document(
    "A. B. C. D. The river flows west. It is long.", id="river", title="Ribble", url="http://r"
)
LAKE = document("# Depth\nThe lake is deep. Nobody swims.", id="lake")


def retrieved(
    shelf: Shelf,
    *queries: str,
    relevance: SharedWords | None = None,
    splitter: Splitter | None = None,
    **settings: int,
) -> tuple[tuple[Evidence, ...], ...]:
    components = make_components(
        retriever=shelf, relevance=relevance or SharedWords(), splitter=splitter or Splitter()
    )
    config = with_settings(RarrConfig(), settings)
    return retrieve([Query(text=each) for each in queries], components=components, config=config)


def test_evidence_is_the_most_relevant_window() -> None:
    shelf = Shelf({"river flows west": [LAKE, RIVER]})
    [[snippet, other]] = retrieved(shelf, "river flows west")
    assert snippet == Evidence(
        text="B. C. D. The river flows west.",
        title="Ribble",
        url="http://r",
        document_id="river",
        query="river flows west",
        relevance=3.0,
        start=RIVER.text.index("B."),
        sentences=4,
    )
    assert other.document_id == "lake"
    [[snippet]] = retrieved(Shelf({"lake": [LAKE]}), "lake")
    assert (snippet.heading, snippet.start) == ("Depth", LAKE.text.index("The lake"))


@pytest.mark.parametrize(
    ("pages", "first"),
    [([LAKE, RIVER], "The lake is deep. Nobody swims."), ([RIVER, LAKE], "A. B. C. D.")],
)
def test_equal_scores_keep_the_order_of_the_search_and_of_the_page(
    pages: list[Document], first: str
) -> None:
    relevance = SharedWords(lambda query, text: 1.0)
    [[snippet, other]] = retrieved(Shelf({"q": pages}), "q", relevance=relevance)
    assert snippet.text == first
    assert other.document_id == pages[1].id


def test_documents_beyond_the_limit_are_ignored() -> None:
    class Generous(Shelf):
        def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]:
            return super().search(queries, limit=99)

    [[snippet]] = retrieved(Generous({"river": [LAKE, RIVER]}), "river", documents_per_query=1)
    assert snippet.document_id == "lake"


def test_all_queries_are_searched_and_scored_at_once_with_titles() -> None:
    shelf, relevance = Shelf({"river": [RIVER], "lake": [LAKE]}), SharedWords()
    evidence = retrieved(shelf, "river", "lake", "none", relevance=relevance, documents_per_query=2)
    assert shelf.received == [(("river", "lake", "none"), 2)]
    [pairs] = relevance.received
    assert (len(pairs), pairs[0]) == (4, ("river", "Ribble\nA. B. C. D."))
    assert evidence[2] == ()


def test_a_page_of_several_queries_is_split_once() -> None:
    shelf, splitter = Shelf({"river": [RIVER], "west": [replace(RIVER)]}), Splitter()
    retrieved(shelf, "river", "west", splitter=splitter)
    assert splitter.received == [RIVER.text]


def test_windows_of_one_query_may_share_sentences() -> None:
    page = document("A. B. C. D. The river flows west. The river is long. G. H. I. J.")
    [snippets] = retrieved(Shelf({"river west": [page]}), "river west", evidence_per_query=3)
    assert {snippet.relevance for snippet in snippets} == {2.0}
    assert [snippet.text[0] for snippet in snippets] == ["B", "C", "D"]
    # A page that is in the results twice is evidence once.
    shelf = Shelf({"lake": [LAKE, replace(LAKE), RIVER]})
    [snippets] = retrieved(shelf, "lake", evidence_per_query=3)
    assert [snippet.document_id for snippet in snippets] == ["lake", "river", "river", "river"]


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_score_that_is_not_finite_is_an_error(score: float) -> None:
    with pytest.raises(UnreadableReply, match="lake"):
        retrieved(Shelf({"lake": [LAKE]}), "lake", relevance=SharedWords(lambda q, t: score))


def test_a_search_that_answers_too_few_queries_is_an_error() -> None:
    class Short(Shelf):
        def search(self, queries: object, *, limit: int) -> list[list[Document]]:
            return [[]]

    with pytest.raises(UnreadableReply, match="1 of 2"):
        retrieved(Short(), "a", "b")
