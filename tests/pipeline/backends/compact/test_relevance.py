"""Relevance by words."""

import pytest

from pipeline.backends.compact.relevance import CompactRelevance

MILL = "Hart Mill was built by Otto Hart in 1852 and has 12 windows."


def relevance(query: str, snippet: str) -> float:
    return CompactRelevance().score([(query, snippet)])[0]


def test_a_snippet_that_shares_more_of_the_query_is_more_relevant() -> None:
    query = "Hart Mill was built in what year?"
    assert relevance(query, MILL) > relevance(query, "Hart was a miller.") > 0
    assert relevance(query, "Salt is white.") == 0


def test_words_of_one_sentence_count_more_than_scattered_ones() -> None:
    query = "Who built the mill in Preston?"
    together = "The mill in Preston was built by Hart. Corn is grown."
    scattered = "A mill was sold. Preston grew. Corn is built on trade."
    assert relevance(query, together) > relevance(query, scattered)


def test_how_old_asks_for_an_age_and_not_for_what_is_old() -> None:
    tells = "Otto Hart was aged 78 when he left the mill."
    other = "Otto Hart bought an old clock when he left the mill."
    for query in ("How old was Otto Hart?", "At what age did Otto Hart leave?"):
        assert relevance(query, tells) > relevance(query, other)
    # Where it asks for something else, an old clock is one.
    assert relevance("Who bought the old clock?", other) > relevance(
        "Who bought the old clock?", other.replace("old ", "")
    )


@pytest.mark.parametrize(
    ("query", "tells", "other"),
    [
        ("What year did Hart Mill open?", "Hart Mill did open in 1852.", "Hart Mill did open."),
        ("How much did Hart Mill cost?", "Hart Mill cost 900 pounds.", "Hart Mill cost pounds."),
        ("What number is Hart Mill?", "Hart Mill is 12.", "Hart Mill is."),
    ],
)
def test_what_is_asked_for_counts_however_the_question_word_is_written(
    query: str, tells: str, other: str
) -> None:
    gain = relevance(query, tells) - relevance(query, other)
    lowered = query[0].lower() + query[1:]
    assert gain == pytest.approx(relevance(lowered, tells) - relevance(lowered, other))
    assert gain > 0


def test_a_query_without_a_word_scores_nothing() -> None:
    assert relevance("?", MILL) == 0


def test_a_snippet_that_counts_what_is_asked_for_is_more_relevant() -> None:
    query = "How many windows does the mill have?"
    counting = relevance(query, "The mill has six windows.")
    assert counting > relevance(query, "The mill has windows on six sides.")
