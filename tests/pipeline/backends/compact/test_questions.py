"""Questions that a person can read, one a span, that do not give the span away."""

import pytest

from pipeline.backends.compact.questions import CompactQueryGenerator
from pipeline.backends.sentences import SpacySplitter
from pipeline.rarr.types import Passage, Query


def ask(text: str, context: str = "") -> list[Query]:
    generator = CompactQueryGenerator(SpacySplitter())
    passage = Passage(id="1", text=text, context=context)
    [sample] = generator.generate(passage, samples=3, temperature=0.7)
    return list(sample)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("the mill opened in 1852.", "The mill opened in what year?"),
        ("In 1852, the stone mill was opened.", "The stone mill was opened in what year?"),
        ("the mill has 12 windows [1].", "The mill has how many windows?"),
        ("the mill was built by Otto Hart.", "The mill was built by who or what?"),
        ("about 45% of it burned.", "About what percentage of it burned?"),
        ("it was a 1912 film.", "It was which year's film?"),
    ],
)
def test_the_question_asks_for_the_span_in_its_place(text: str, question: str) -> None:
    assert ask(text)[0].text == question


def test_each_query_knows_the_span_it_asks_for_and_never_says_it() -> None:
    text = "Otto Hart was born in Leeds in 1852. He built 12 mills."
    queries = ask(text)
    assert [query.about.of(text) for query in queries if query.about] == [
        "Otto Hart", "Leeds", "1852", "12",
    ]  # fmt: skip
    assert all(query.about and query.about.of(text) not in query.text for query in queries)


def test_a_pronoun_subject_gives_way_to_what_the_passage_is_about() -> None:
    assert ask("Otto Hart was a builder. He had 12 mills.")[-1].text == (
        "Otto Hart had how many mills?"
    )


def test_a_sentence_without_a_span_is_asked_as_a_whole() -> None:
    [query] = ask("Rivers flow downhill.")
    assert query.text == "Is it true that rivers flow downhill?"
    assert query.about is None


def test_a_citation_mark_is_never_asked_for() -> None:
    assert [query.text for query in ask("Rivers flow downhill [12].")] == [
        "Is it true that rivers flow downhill?"
    ]


@pytest.mark.parametrize("text", ["", "  ", "...", "[1]"])
def test_nothing_to_ask_about_gives_no_query(text: str) -> None:
    assert ask(text) == []
