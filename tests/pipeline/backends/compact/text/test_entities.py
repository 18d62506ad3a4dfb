"""Entity labels of stretches of text."""

import pytest

from pipeline.backends.compact.text.entities import label_of

TEXT = "The mill burned down. Marie Curie was born in Warsaw on 7 November 1867. She left."


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("Marie Curie", "PERSON"),
        ("Curie", "PERSON"),
        ("Warsaw", "GPE"),
        ("7 November 1867", "DATE"),
        ("mill", ""),
        ("was born in Warsaw", "GPE"),
        ("down. Marie Curie", "PERSON"),
        ("She left.", ""),
        ("on 7 November 1867. She", "DATE"),
    ],
)
def test_a_stretch_has_the_label_of_its_tokens(said: str, label: str) -> None:
    start = TEXT.index(said)

    assert label_of(TEXT, start, start + len(said)) == label


def test_most_tokens_decide() -> None:
    start = TEXT.index("Warsaw")

    assert label_of(TEXT, start, TEXT.index(" She")) == "DATE"


@pytest.mark.parametrize(("start", "end"), [(0, 0), (3, 4), (500, 600), (21, 22)])
def test_a_stretch_without_a_word_has_none(start: int, end: int) -> None:
    assert label_of(TEXT, start, end) == ""


def test_a_text_without_a_word_has_none() -> None:
    assert label_of(" ", 0, 1) == ""
