"""Sentences: where they end, and that nothing but white space is left between them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.text.sentences import LONGEST_SENTENCE, split_sentences


def sentences(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One came. Two left.", ["One came.", "Two left."]),
        ("One came. Two went! Three? Yes", ["One came.", "Two went!", "Three?", "Yes"]),
        ("Dr. Gray met Mr. Hill. They spoke.", ["Dr. Gray met Mr. Hill.", "They spoke."]),
        ("Dr. Hart met Mr. J. Lowe at No. 4.", ["Dr. Hart met Mr. J. Lowe at No. 4."]),
        ("Did he? No. He left on 3 Jan. 1852.", ["Did he?", "No.", "He left on 3 Jan. 1852."]),
        ("The U.S. joined in 1917. It won.", ["The U.S. joined in 1917.", "It won."]),
        ("She lives on Elm St. near the park.", ["She lives on Elm St. near the park."]),
        ("Prof. Marsh et al. agreed. So did I.", ["Prof. Marsh et al. agreed.", "So did I."]),
        ("It cost 3.5 million euros.", ["It cost 3.5 million euros."]),
        ("It cost 3.5 million. It was e.g. Red.", ["It cost 3.5 million.", "It was e.g. Red."]),
        ("It rose to 3.5 m. 1852 was wet.", ["It rose to 3.5 m.", "1852 was wet."]),
        ("It boils at 95°C. Salt helps.", ["It boils at 95°C.", "Salt helps."]),
        ("J. K. Moor wrote it. He sold it.", ["J. K. Moor wrote it.", "He sold it."]),
        ("It was World War I. She left.", ["It was World War I.", "She left."]),
        ("1. Turn it on. 2. Turn it off.", ["1. Turn it on.", "2. Turn it off."]),
        ("It is red. **Blue** is not.", ["It is red.", "**Blue** is not."]),
        ("Il est mort. Élise vit.", ["Il est mort.", "Élise vit."]),
        ('"Is it?" Ada asked.', ['"Is it?"', "Ada asked."]),
        ("It is (so he said.) Ada left!", ["It is (so he said.)", "Ada left!"]),
        ("A line\nand another", ["A line", "and another"]),
        ("a title\n\n  and a line\u2028more", ["a title", "and a line", "more"]),
        ("He met Dr.\nHart", ["He met Dr.", "Hart"]),
        ("河流很长。湖很深！真的？", ["河流很长。", "湖很深！", "真的？"]),
        ("湖は深い。。川は長い。", ["湖は深い。。", "川は長い。"]),
        ("It rained [1]. It stopped [2].", ["It rained [1].", "It stopped [2]."]),
        ("It rained. [1] It stopped. [2]", ["It rained. [1]", "It stopped. [2]"]),
        ("It was in 1990 [4]. [3] . Next one.", ["It was in 1990 [4]. [3] .", "Next one."]),
        ("It ends [4][3] . Next it rose.", ["It ends [4][3] .", "Next it rose."]),
        ("no stop at all", ["no stop at all"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_it_ends_sentences_where_a_reader_would(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


WORDS = ["Dr. ", "U.S. ", "word ", "(no. 5) ", "1.5 ", "[1] ", "A.", "e.g. ", "é ", "𝒳 "]
ENDS = ["end. ", "End? ", "“Yes.” ", "...", "\r\n", *'\n。 \u2028！"\x00']
PIECES = st.sampled_from(WORDS + ENDS)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=200)))
def test_spans_are_ordered_and_leave_only_white_space_between(text: str) -> None:
    at = 0
    for span in split_sentences(text):
        assert at <= span.start < span.end <= len(text)
        assert not text[at : span.start].strip()
        assert span.of(text) == span.of(text).strip() != ""
        at = span.end
    assert not text[at:].strip()


@pytest.mark.parametrize("word", ["word ", "字"])
def test_a_text_without_an_end_is_cut_and_nothing_of_it_is_lost(word: str) -> None:
    text = word * (3 * LONGEST_SENTENCE)
    parts = sentences(text)
    assert max(map(len, parts)) <= LONGEST_SENTENCE
    assert " ".join(parts).replace(" ", "") == text.replace(" ", "")
