"""What stands in the evidence between the neighbours of a span."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.backends.compact.revision.slot_alignment import filler_of
from pipeline.backends.compact.revision.word_alignment import laid
from pipeline.backends.compact.text.spans import mentions

MILL = "Hart Mill on the River Ribble was built by Otto van Hart for the Corn Trade in 1852."


def filler(sentence: str, value: str, evidence: str = MILL) -> str:
    [mention] = [m for m in mentions(sentence) if value in m.text]
    found = filler_of(mention, sentence=sentence, evidence=evidence)
    return found.text if found else ""


@pytest.mark.parametrize(
    ("sentence", "value", "expected"),
    [
        ("Hart Mill was built by Jane Coe for the Corn Trade.", "Coe", "Otto van Hart"),
        ("The mill was built by Otto van Hart for the Corn Trade in 1947.", "1947", "1852"),
        # Half a name lines up: it is answered with the whole one.
        ("Hart Mill on the River Coe was built by Otto.", "Coe", "River Ribble"),
    ],
)
def test_the_value_between_equal_neighbours_is_the_answer(
    sentence: str, value: str, expected: str
) -> None:
    assert filler(sentence, value) == expected


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("Corn was sold by Jane Coe in Preston.", "Coe"),  # nothing lines up
        ("Hart Mill was built by Jane Coe and sold to bakers of bread.", "Coe"),  # one side does
        ("Otto van Hart built it with Jane Coe for the Corn Trade.", "Coe"),  # used already
    ],
)
def test_without_two_equal_neighbours_or_with_a_value_used_already_there_is_none(
    sentence: str, value: str
) -> None:
    assert not filler(sentence, value)


def test_a_number_is_never_answered_with_a_name() -> None:
    assert not filler("It was built by 12 for the Corn Trade in 1852.", "12")


def test_a_slot_is_never_longer_than_six_words() -> None:
    long = "Hart Mill was built by Otto Hart Of The Nine Old Corn Mills Of Preston for the trade."
    assert not filler("Hart Mill was built by Jane Coe for the trade.", "Coe", long)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.text(max_size=120))
def test_words_line_up_in_order_and_only_with_equal_words(one: str, other: str) -> None:
    for side in laid(one, other):
        places = [(side.mine[i], p) for i, p in enumerate(side.place) if p >= 0]
        assert [p for _, p in places] == sorted({p for _, p in places})
        assert all(word.stem == side.theirs[p].stem for word, p in places)
