"""Relevance and decontextualizing by words."""

import pytest

from pipeline.backends.compact.coreference.decontextualizer import CompactDecontextualizer
from pipeline.backends.compact.relevance import CompactRelevance
from pipeline.rarr.types import Passage

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


def test_a_query_without_a_word_scores_nothing() -> None:
    assert relevance("?", MILL) == 0


def decontextualized(*sentences: str, context: str = "") -> list[str]:
    passage = Passage(id="1", text=" ".join(sentences), context=context)
    model = CompactDecontextualizer()
    return list(model.decontextualize(passage=passage, sentences=sentences))


def test_a_pronoun_subject_becomes_the_topic() -> None:
    assert decontextualized("Otto Hart was a miller.", "His mill burned down.") == [
        "Otto Hart was a miller.", "Otto Hart's mill burned down.",
    ]  # fmt: skip


def test_the_context_gives_the_topic_where_the_passage_has_none() -> None:
    assert decontextualized("He was a miller.", context="Who was Otto Hart?") == [
        "Otto Hart was a miller."
    ]


@pytest.mark.parametrize(
    "sentence",
    ["It is important to grind corn.", "When Jane Coe came, she sold it.", "Mills grind corn."],
)
def test_a_sentence_stays_where_unsure(sentence: str) -> None:
    assert decontextualized("Otto Hart was a miller.", sentence)[1] == sentence


def test_the_film_becomes_its_name_and_a_person_is_nothing_that_opens() -> None:
    first = '"Corn Song" is a 1990 film by Ada Hart.'
    assert decontextualized(first, "The film won a prize.", "She wrote it.", "It opened late.") == [
        first, '"Corn Song" won a prize.', "Ada Hart wrote it.", "Corn Song opened late.",
    ]  # fmt: skip


def test_a_class_that_two_names_share_stays() -> None:
    sentences = ("The film Corn Song is long.", "The film Mill Song is short.", "The film won.")
    assert decontextualized(*sentences)[2] == "The film won."
