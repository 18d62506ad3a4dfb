"""Which questions a passage gets: one a span, that does not give it away, findable by a search."""

import pytest

from tests.pipeline.backends.compact.questions.asking import ask, asked_about


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("A near-Earth comet was found.", "Was a near-Earth comet found?"),
        ("Otto Hart died of COVID-19.", "What did Otto Hart die of?"),
        ("The club played the 2-1 game.", "Did the club play the 2-1 game?"),
    ],
)
def test_a_part_of_a_word_is_asked_for_with_the_word(text: str, question: str) -> None:
    assert question in [query.text for query in ask(text)]


def test_each_query_knows_the_span_it_asks_for_and_never_says_it() -> None:
    text = "Otto Hart was born in Leeds in 1852. He built 12 mills."
    queries = ask(text)
    assert [query.about.of(text) for query in queries if query.about] == [
        "Otto Hart", "Leeds", "1852", "12",
    ]  # fmt: skip
    assert all(query.about and query.about.of(text) not in query.text for query in queries)


def test_marks_are_left_out_and_places_stay() -> None:
    text = "- **Hart Mill** [3] has 12 windows [1, 2].\n2. It opened in 1852."
    queries = [query for query in ask(text) if query.about]
    assert [query.about.of(text) for query in queries if query.about] == ["Hart Mill", "12", "1852"]
    assert all(mark not in query.text for query in queries for mark in ("*", "[", "2."))


def test_lines_that_were_run_together_are_asked_apart() -> None:
    text = "Hart Mill closed in 1990.The mill has 12 windows."
    assert asked_about(text, "1990") == "In what year did Hart Mill close?"


def test_a_pronoun_gives_way_to_what_it_stands_for() -> None:
    assert ask("Otto Hart was a builder. He had 12 mills.")[-1].text == (
        "How many mills did Otto Hart have?"
    )


def test_the_context_says_what_it_is() -> None:
    queries = ask("It opened in 1852.", context="When did Hart Mill open?")
    assert [query.text for query in queries] == ["In what year did Hart Mill open?"]


def test_a_later_sentence_that_names_nothing_is_asked_with_the_topic() -> None:
    text = "Hart Mill is old. There are 12 windows in the wall."
    assert ask(text)[-1].text == "How many windows are there in the wall (Hart Mill)?"


def test_a_short_question_names_what_else_its_sentence_names() -> None:
    text = "Otto Hart founded the mill in 1852 and sold it to Ada Coe."
    assert asked_about(text, "1852") == "In what year did Otto Hart found the mill (Ada Coe)?"


def test_two_spans_never_share_a_question() -> None:
    texts = [query.text for query in ask("Hart beat Coe, and Coe beat Hart in 12 of 30 games.")]
    assert len(texts) == len(set(texts)) == 6


@pytest.mark.parametrize("text", ["In 1852.", "1852", "Hart:", '"Hart"?', "In Summary, Hart won."])
def test_a_fragment_is_asked_about_too(text: str) -> None:
    assert any(query.about and query.text.endswith("?") for query in ask(text))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The river was flowing slowly downhill.", "Was the river flowing slowly downhill?"),
        ("Rivers flow downhill [12].", "Do rivers flow downhill?"),
        ("It may rain.", "Is it true that it may rain?"),
        (
            "However, rivers rise and valleys flood.",
            "Is it true that rivers rise and valleys flood?",
        ),
        ("Bring the bread to the oven.",
         "Should you bring the bread to the oven?"),
    ],
)  # fmt: skip
def test_a_sentence_without_a_span_is_asked_as_a_whole(text: str, question: str) -> None:
    [query] = ask(text)
    assert (query.text, query.about) == (question, None)


@pytest.mark.parametrize("text", ["", "  ", "...", "[1]"])
def test_nothing_to_ask_about_gives_no_query(text: str) -> None:
    assert ask(text) == []


def test_a_sentence_without_end_is_asked_in_part() -> None:
    text = "The mill has " + "many old and grey and " * 100 + "12 windows."
    [query] = [query for query in ask(text) if query.about]
    assert "how many windows" in query.text
    assert len(query.text.split()) <= 102
