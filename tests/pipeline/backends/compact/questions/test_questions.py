"""Questions that a person can read, one a span, that do not give the span away."""

import pytest

from pipeline.backends.compact.questions.generator import CompactQueryGenerator
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
        ("the mill opened in 1852.", "In what year did the mill open?"),
        ("In 1852, the stone mill was opened.", "In what year was the stone mill opened?"),
        ("the mill has 12 windows [1].", "How many windows does the mill have?"),
        ("The mill was built by Otto Hart.", "Who built the mill?"),
        ("about 45% of it burned.", "What percentage of it burned?"),
        ("it was a 1912 film.", "It was a film of what year?"),
        ("the mill burned in the 19th century.", "In which century did the mill burn?"),
        ("There are 12 mills in the valley.", "How many mills are there in the valley?"),
        ("The Hart Prize is given in spring.", "Which prize is given in spring?"),
        ("The mill is 12 metres high.", "How many metres high is the mill?"),
        ("The builder died at the age of 78.", "At what age did the builder die?"),
        ("However, the mill opened on 3 May 1852.", "On what date did the mill open?"),
    ],
)
def test_the_question_is_one_that_a_person_would_type(text: str, question: str) -> None:
    assert ask(text)[0].text == question


@pytest.mark.parametrize(
    ("text", "span", "question"),
    [
        ("Otto Hart was born in Leeds in 1852.", "Leeds", "Where was Otto Hart born in 1852?"),
        (
            "Hart founded the mill in 1852 and moved to York in 1860.",
            "1860",
            "In what year did Hart move to York?",
        ),
        (
            "Otto Hart is a builder who lived in Leeds from 1852.",
            "1852",
            "From what year did Otto Hart live in Leeds?",
        ),
        ("The Hart Mill, built in 1852, is a museum.", "1852", "In what year was Hart Mill built?"),
        (
            'The band Stone Mill sang "Corn Song" in Leeds.',
            "Stone Mill",
            'Which band sang "Corn Song" in Leeds?',
        ),
        (
            "The song was written by Ada Hart and Otto Coe in 1990.",
            "Otto Coe",
            "Other than Ada Hart, who was the song written by in 1990?",
        ),
        ("Otto Hart died of COVID-19.", "COVID-19", "What did Otto Hart die of?"),
        ("A near-Earth comet was found.", "Earth", "Was a near-Earth comet found?"),
    ],
)
def test_each_span_has_its_own_question(text: str, span: str, question: str) -> None:
    [found] = [q.text for q in ask(text) if q.about and q.about.of(text) == span]
    assert found == question


def test_where_no_rule_is_sure_the_sentence_keeps_its_order() -> None:
    text = "the people that, tired of 12 long days, gave up."
    [query] = ask(text)
    assert query.text == "The people that, tired of how many long days, gave up?"


def test_each_query_knows_the_span_it_asks_for_and_never_says_it() -> None:
    text = "Otto Hart was born in Leeds in 1852. He built 12 mills."
    queries = ask(text)
    assert [query.about.of(text) for query in queries if query.about] == [
        "Otto Hart", "Leeds", "1852", "12",
    ]  # fmt: skip
    assert all(query.about and query.about.of(text) not in query.text for query in queries)


def test_a_pronoun_subject_gives_way_to_what_the_passage_is_about() -> None:
    assert ask("Otto Hart was a builder. He had 12 mills.")[-1].text == (
        "How many mills did Otto Hart have?"
    )


def test_the_film_gives_way_to_its_name() -> None:
    text = '"Corn Song" is a 1990 film by Ada Hart. The film won three prizes.'
    assert ask(text)[-1].text == 'How many prizes did "Corn Song" win?'


def test_the_context_says_what_it_is() -> None:
    queries = ask("It opened in 1852.", context="When did Hart Mill open?")
    assert [query.text for query in queries] == ["In what year did Hart Mill open?"]


def test_a_later_sentence_that_names_nothing_is_asked_with_the_topic() -> None:
    text = "Hart Mill is old. There are 12 windows in the wall."
    assert ask(text)[-1].text == "How many windows are there in the wall (Hart Mill)?"


def test_what_somebody_did_to_it_is_asked_with_what_it_is() -> None:
    text = "Hart Mill was built by Otto Coe. The Prince of Wales opened it in 1893."
    questions = [query.text for query in ask(text)]
    assert questions[-1] == "In what year did the Prince of Wales open it (Hart Mill)?"


def test_two_spans_never_share_a_question() -> None:
    texts = [query.text for query in ask("Hart beat Coe, and Coe beat Hart in 12 of 30 games.")]
    assert len(texts) == len(set(texts)) == 6


@pytest.mark.parametrize("text", ["In 1852.", "1852", "Hart:", '"Hart"?', "In Summary, Hart won."])
def test_a_fragment_is_asked_about_too(text: str) -> None:
    assert any(query.about for query in ask(text))


def test_a_statement_without_a_span_is_asked_as_yes_or_no() -> None:
    assert [query.text for query in ask("The river was flowing slowly downhill.")] == [
        "Was the river flowing slowly downhill?"
    ]


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
