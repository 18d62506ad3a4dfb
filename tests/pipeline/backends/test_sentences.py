"""Sentences: where they end, and that nothing but white space is left between them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.backends.sentences import SpacySplitter
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.windows import LONGEST_SENTENCE

SPLITTER = SpacySplitter()


def sentences(text: str) -> list[str]:
    return [span.of(text) for span in SPLITTER.split(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One came. Two left.", ["One came.", "Two left."]),
        ("Dr. Gray met Mr. Hill. They spoke.", ["Dr. Gray met Mr. Hill.", "They spoke."]),
        ("The U.S. joined in 1917. It won.", ["The U.S. joined in 1917.", "It won."]),
        ("She lives on Elm St. near the park.", ["She lives on Elm St. near the park."]),
        ("Prof. Marsh et al. agreed. So did I.", ["Prof. Marsh et al. agreed.", "So did I."]),
        ("It cost 3.5 million euros.", ["It cost 3.5 million euros."]),
        ("J. K. Moor wrote it. He sold it.", ["J. K. Moor wrote it.", "He sold it."]),
        ("A line\nand another", ["A line", "and another"]),
        ("河流很长。湖很深！真的？", ["河流很长。", "湖很深！", "真的？"]),
        ("湖は深い。川は長い。", ["湖は深い。", "川は長い。"]),
        ("It rained [1]. It stopped [2].", ["It rained [1].", "It stopped [2]."]),
        ("It rained. [1] It stopped. [2]", ["It rained. [1]", "It stopped. [2]"]),
        ("It was in 1990 [4]. [3] . Next one.", ["It was in 1990 [4]. [3] .", "Next one."]),
        ("It ends [4][3] . Next it rose.", ["It ends [4][3] .", "Next it rose."]),
        ("Really? Yes! Good.", ["Really?", "Yes!", "Good."]),
        ("", []),
        (" \n\t ", []),
    ],
)  # fmt: skip
def test_it_ends_sentences_where_a_reader_would(text: str, expected: list[str]) -> None:
    assert [" ".join(sentence.split()) for sentence in sentences(text)] == expected


PIECES = st.sampled_from(
    ["Dr. ", "U.S. ", "end. ", "End? ", "\n", "\r\n", "word ", "“Yes.” ", "(no. 5) ", "。", "1.5 ",
     "[1] ", "...", "A.", " ", "\u2028", "！", "e.g. ", '"', "\x00", "é ", "𝒳 "]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=200)))
def test_spans_are_ordered_and_leave_only_white_space_between(text: str) -> None:
    at = 0
    for span in SPLITTER.split(text):
        assert at <= span.start < span.end <= len(text)
        assert not text[at : span.start].strip()
        assert span.of(text) == span.of(text).strip() != ""
        at = span.end
    assert not text[at:].strip()


def test_a_page_of_a_hundred_kilobytes_is_split_whole() -> None:
    page = "The mill on the Ribble was built in 1852 by J. Hart. It burned down (twice). " * 1300
    assert len(SPLITTER.split(page)) == 2600


def test_a_pipeline_that_is_not_installed_is_a_clear_error() -> None:
    splitter = SpacySplitter("xx_no_such_pipeline")
    with pytest.raises(BadConfig, match="not installed"):
        splitter.split("Any text.")


def test_a_text_without_full_stops_is_cut_at_white_space() -> None:
    text = "word " * 2_000
    spans = SPLITTER.split(text)
    assert max(span.end - span.start for span in spans) <= LONGEST_SENTENCE
    assert " ".join(span.of(text) for span in spans).split() == text.split()
