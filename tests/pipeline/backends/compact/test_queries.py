"""The questions about a passage: one for each span, without the answer."""

from collections.abc import Sequence

import pytest

from pipeline.backends.compact.queries import CompactQueryGenerator
from pipeline.rarr.types import Passage, Query


def ask(text: str, context: str = "") -> Sequence[Query]:
    generator = CompactQueryGenerator()
    passage = Passage(id="1", text=text, context=context)
    [queries] = generator.generate(passage, samples=3, temperature=0.7)
    return queries


def question_about(text: str, span: str) -> str:
    """The question about the first occurrence of `span`."""
    at = text.index(span)
    return next(
        q.text for q in ask(text) if q.about and q.about.start < at + len(span) and at < q.about.end
    )


BORN = "Ada Coe was born in Kraków in 1902."
SOLD = "It was sold to an Italian company in May."
SAILED = "Otto Hart sailed to Chile on his third voyage."


@pytest.mark.parametrize(
    ("text", "span", "question"),
    [
        ("Otto Hart died in 1930.", "Otto Hart", "Who died in 1930?"),
        ("The mill was built by Otto Hart.", "Otto Hart", "The mill was built by whom?"),
        # The recogniser takes it for a person.
        (BORN, "Kraków", "Ada Coe was born in which place in 1902?"),
        ("Otto Hart’s mill was sold in 1852.", "Otto Hart", "Whose mill was sold in 1852?"),
        ("Otto Hart lived in Leeds, England.", "England", "Otto Hart lived in Leeds, which place?"),
        ("The Mona Coe was found in Leeds.", "Leeds", "The Mona Coe was found in which place?"),
        ("The University of Ulm has 9,800 students.", "Ulm", "What has 9,800 students?"),
        ("Hart led the band Stone Mill.", "Stone Mill", "Hart led which band?"),
        ('The film "Corn Song" was made in May.', "Corn Song", "Which film was made in May?"),
        (SOLD, "Italian", "It was sold to what nationality of company in May?"),
        ("The mill opened in 1852.", "1852", "The mill opened in what year?"),
        ("It was a 1912 film.", "1912", "It was what year's film?"),
        ("The mill closed in the early 1940s.", "1940s", "The mill closed in what decade?"),
        ("The mill opened on 3 May 1852.", "3 May 1852", "The mill opened on what date?"),
        ("It was sold in May 1990.", "May 1990", "It was sold in what month and year?"),
        ("The lake freezes in January.", "January", "The lake freezes in what month?"),
        ("The mill has 12 windows [1].", "12", "The mill has how many windows?"),
        ("Nine of the windows broke.", "Nine", "How many of the windows broke?"),
        ("Water covers 71% of the island.", "71%", "Water covers what percentage of the island?"),
        ("The tower cost $3 million.", "$3 million", "The tower cost how much?"),
        ("He died at the age of 78.", "78", "He died at the age of what number?"),
        (SAILED, "third", "Otto Hart sailed to Chile on which voyage?"),
        ("The mill was first opened in 1852.", "first", "The mill was first opened in 1852?"),
        (
            "Otto Hart built it in 1852, and Ada Coe sold it.",
            "1852",
            "Otto Hart built it in what year?",
        ),
        ("A near-Earth comet was found.", "Earth", "A near-Earth comet was found?"),
    ],
)
def test_a_wh_phrase_replaces_the_span(text: str, span: str, question: str) -> None:
    assert question_about(text, span) == question


def test_each_query_knows_the_span_it_asks_for_and_never_contains_it() -> None:
    text = "Otto Hart was born in Leeds in 1852. He built 12 mills."
    queries = ask(text)
    spans = [query.about.of(text) for query in queries if query.about]
    assert spans == ["Otto Hart", "Leeds", "1852", "12"]
    assert not any(span in query.text for query, span in zip(queries, spans, strict=True))


def test_marks_are_removed_and_spans_keep_their_offsets() -> None:
    text = "- **Hart Mill** [3] has 12 windows [1, 2].\n2. It opened in 1852."
    queries = ask(text)
    assert [query.about.of(text) for query in queries if query.about] == ["Hart Mill", "12", "1852"]
    of_name, *others = [query.text for query in queries]
    assert of_name == "What has 12 windows?"
    assert others == ["Hart Mill has how many windows?", "Hart Mill opened in what year?"]
    # Lines that were run together are asked apart.
    text = "Hart Mill closed in 1990.The mill has 12 windows."
    assert question_about(text, "1990") == "Hart Mill closed in what year?"
    assert question_about(text, "12") == "The mill has how many windows?"


def test_a_pronoun_gives_way_to_what_it_represents() -> None:
    last = ask("Otto Hart was a builder. He had 12 mills.")[-1]
    assert last.text == "Otto Hart had how many mills?"
    [query] = ask("It opened in 1852.", context="When did Hart Mill open?")
    assert query.text == "Hart Mill opened in what year?"
    # A later sentence that names nothing is asked with the topic.
    text = "Hart Mill is old. There are 12 windows in the wall."
    assert ask(text)[-1].text == "There are how many windows in the wall (Hart Mill)?"


def test_two_spans_never_share_a_question() -> None:
    texts = [query.text for query in ask("Hart beat Coe, and Coe beat Hart in 12 of 30 games.")]
    assert len(texts) == len(set(texts)) == 6
    texts = [query.text for query in ask("- Opened in 1852\n- Opened in 1853")]
    assert texts == ["Opened in what year?", "Opened in 1853?"]


@pytest.mark.parametrize("text", ["In 1852.", "1852", "Hart:", '"Hart"?', "In Summary, Hart won."])
def test_a_fragment_has_a_question_too(text: str) -> None:
    assert any(query.about and query.text.endswith("?") for query in ask(text))


def test_a_sentence_without_a_span_is_one_question() -> None:
    assert ask("Rivers flow downhill [12].") == [Query(text="Rivers flow downhill?")]
    assert [ask(blank) for blank in ("", "  ", "...", "[1]")] == [[]] * 4


def test_a_question_about_an_endless_sentence_is_cut() -> None:
    text = "The mill has " + "many old and grey and " * 100 + "12 windows."
    [query] = [query for query in ask(text) if query.about]
    assert "how many windows" in query.text
    assert len(query.text.split()) <= 102
