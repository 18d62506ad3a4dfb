"""Relevance by words."""

import pytest

from pipeline.backends.compact.relevance import CompactRelevance

MILL = "Hart Mill was built by Otto Hart in 1852 and has 12 windows."


def relevance(query: str, snippet: str) -> float:
    return CompactRelevance().score([(query, snippet)])[0]


OLD_CLOCK = "Otto Hart bought an old clock when he left the mill."
ONE_SENTENCE = "The mill in Preston was built by Hart. Corn is grown."
SCATTERED = "A mill was sold. Preston grew. Corn is built on trade."
SIX_SIDES = "The mill has windows on six sides."
AGED = "Otto Hart was aged 78 when he left the mill."


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("Hart Mill was built in what year?", MILL, "Hart was a miller."),
        # Words of one sentence count more than scattered ones.
        ("Who built the mill in Preston?", ONE_SENTENCE, SCATTERED),
        # "How old" asks for an age; elsewhere an old clock is one.
        ("How old was Otto Hart?", AGED, OLD_CLOCK),
        ("At what age did Otto Hart leave?", AGED, OLD_CLOCK),
        ("Who bought the old clock?", OLD_CLOCK, OLD_CLOCK.replace("old ", "")),
        # A number of what is asked for.
        ("How many windows does the mill have?", "The mill has six windows.", SIX_SIDES),
    ],
)
def test_the_better_snippet_is_more_relevant(query: str, better: str, worse: str) -> None:
    assert relevance(query, better) > relevance(query, worse) > 0


def test_nothing_in_common_scores_nothing() -> None:
    assert relevance("Hart Mill was built in what year?", "Salt is white.") == 0
    assert relevance("?", MILL) == 0


@pytest.mark.parametrize(
    ("query", "tells", "other"),
    [
        ("What year did Hart Mill open?", "Hart Mill did open in 1852.", "Hart Mill did open."),
        ("How much did Hart Mill cost?", "Hart Mill cost 900 pounds.", "Hart Mill cost pounds."),
        ("What number is Hart Mill?", "Hart Mill is 12.", "Hart Mill is."),
    ],
)
def test_the_case_of_a_question_word_is_ignored(query: str, tells: str, other: str) -> None:
    gain = relevance(query, tells) - relevance(query, other)
    lowered = query[0].lower() + query[1:]
    assert gain == pytest.approx(relevance(lowered, tells) - relevance(lowered, other))
    assert gain > 0
