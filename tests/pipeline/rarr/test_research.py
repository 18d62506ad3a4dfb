"""The union of the query samples."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.rarr.research import generate_queries, normalize_query, unite_samples
from pipeline.rarr.types import Query
from tests.support.rarr_fakes import Questions, passage


def texts(samples: list[list[str]]) -> list[str]:
    queries = [[Query(text=text) for text in sample] for sample in samples]
    return [query.text for query in unite_samples(queries)]


OTHER = ["When?", "When, really?", "“When then?”"]


@pytest.mark.parametrize(
    ("samples", "united"),
    [
        ([["b", "a"], ["c", "a"], ["d", "b"]], ["b", "a", "c", "d"]),
        ([["When did it open?"], ["when did it open?", "When  did\tit open ?"]], None),
        ([["When did it open?"], ["When did it open", "When did it open ?!"]], None),
        ([["When did it open?"], ["Ｗhen did it open？"]], None),
        ([OTHER[:1], OTHER[1:]], OTHER),
        ([["", "  ", "?!", "Who?"]], ["Who?"]),
    ],
)
def test_queries_of_the_same_words_are_one(
    samples: list[list[str]], united: list[str] | None
) -> None:
    assert texts(samples) == (united or ["When did it open?"])


def test_the_generator_receives_samples_and_temperature() -> None:
    generator = Questions(["Who?"])
    generate_queries(passage("A text."), generator=generator, samples=3, temperature=0.7)
    assert generator.received == [(passage("A text."), 3, 0.7)]


@settings(max_examples=60)
@given(st.lists(st.lists(st.text(max_size=6), max_size=5), max_size=4))
def test_united_queries_are_distinct_and_complete(samples: list[list[str]]) -> None:
    united = [normalize_query(text) for text in texts(samples)]
    assert len(united) == len(set(united))
    assert set(united) == {normalize_query(text) for sample in samples for text in sample} - {""}
