"""Where sentences stand before they are parsed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.backends.compact.text.sentences import sentences_of


def split(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences_of(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Ada came. She left.", ["Ada came.", "She left."]),
        ("Dr. Hart met Mr. J. Lowe at No. 4.", ["Dr. Hart met Mr. J. Lowe at No. 4."]),
        ("It rose to 3.5 m. 1852 was wet.", ["It rose to 3.5 m.", "1852 was wet."]),
        ('"Is it?" Ada asked.', ['"Is it?"', "Ada asked."]),
        ("It is (so he said.) Ada left!", ["It is (so he said.)", "Ada left!"]),
        ("a title\n\n  and a line\u2028more", ["a title", "and a line", "more"]),
        ("那是磨坊。它很旧。", ["那是磨坊。", "它很旧。"]),
        ("no stop at all", ["no stop at all"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@given(st.text(alphabet='Aa.!? \n"”)。…1', max_size=60))
def test_sentences_follow_each_other_and_leave_out_blanks_only(text: str) -> None:
    places = sentences_of(text)

    assert "".join("".join(split(text)).split()) == "".join(text.split())
    assert all(a < b for a, b in places)
    assert all(b <= c for (_, b), (c, _) in pairwise(places))
