"""Relevance, entailment and decontextualizing by words."""

import pytest

from pipeline.backends.compact.decontextualizing import CompactDecontextualizer
from pipeline.backends.compact.entailment import CompactEntailment
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


def test_a_query_without_a_word_scores_nothing() -> None:
    assert relevance("?", MILL) == 0


def entailed(premise: str, hypothesis: str) -> float:
    return CompactEntailment().score([(premise, hypothesis)])[0].entailed


def test_what_the_premise_says_is_entailed() -> None:
    assert entailed(MILL, "Hart Mill was built in 1852.") >= 0.5


@pytest.mark.parametrize(
    "hypothesis",
    [MILL.split(". ")[0] + ".", MILL.split(". ")[0].upper() + " [1].", MILL],
)
def test_what_the_premise_says_word_for_word_is_as_good_as_certain(hypothesis: str) -> None:
    assert entailed("Mills.\nAs is known: " + MILL, hypothesis) > 0.95


def test_the_words_in_another_order_are_not_word_for_word() -> None:
    assert entailed("Jane Coe built Otto Hart's mill.", "Otto Hart built Jane Coe's mill.") < 0.95


@pytest.mark.parametrize(
    "hypothesis",
    ["Hart Mill was built in 1947.", "Coe Mill was built by Jane Coe.", "Salt lakes are white."],
)
def test_a_number_or_name_that_the_premise_lacks_is_decisive(hypothesis: str) -> None:
    assert entailed(MILL, hypothesis) < 0.5


def test_the_same_words_about_another_subject_are_not_entailed() -> None:
    premise = "The River Severn is 354 kilometres long, the longest river in Great Britain."
    assert entailed(premise, "The River Thames is 354 kilometres long.") < 0.4
    assert entailed(premise, "The River Severn is 354 kilometres long.") >= 0.5


def test_a_long_premise_is_read_in_windows() -> None:
    padding = "Corn was ground there. " * 200
    assert entailed(padding + MILL + padding, "Hart Mill was built in 1852.") >= 0.5


@pytest.mark.parametrize(("premise", "hypothesis"), [("", "A claim."), (MILL, ""), ("", "")])
def test_nothing_to_compare_is_not_entailed(premise: str, hypothesis: str) -> None:
    assert 0 <= entailed(premise, hypothesis) < 0.5


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
