"""What is check-worthy in a sentence, and what is not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.backends.compact.text.spans import MentionKind, mentions


def texts_of(text: str, kind: MentionKind) -> list[str]:
    return [mention.text for mention in mentions(text) if mention.kind is kind]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It covers 1,200 acres.", ["1,200"]),
        ("It cost $3.5 million.", ["$3.5 million"]),
        ("Some 45% agreed, and twenty-five did not.", ["45%", "twenty-five"]),
        ("She came 2nd in the third race.", ["2nd", "third"]),
        ("They won 5–3.", ["5", "3"]),
        ("It is one of them [1][2, 3].", []),
        ("About 1500 people came.", ["1500"]),
        ("The wall is 1500 km long.", ["1500"]),
        ("The park has 1500 km² of land.", ["1500"]),
        ("It runs at 50Hz and 12V.", ["50", "12"]),
        ("It is open 24/7.", []),
    ],
)
def test_numbers(text: str, expected: list[str]) -> None:
    assert texts_of(text, MentionKind.NUMBER) == expected


NAME, NUMBER = MentionKind.NAME, MentionKind.NUMBER


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The COVID-19 wards closed.", {"COVID-19": NAME}),
        ("The B-52 met two F-16s.", {"B-52": NAME, "two": NUMBER, "F-16": NAME}),
        ("He flew a Boeing B-52 Stratofortress.", {"Boeing B-52 Stratofortress": NAME}),
        ("In SARS-CoV-2 it is small.", {"SARS-CoV-2": NAME}),
        ("The G20 asked MI6.", {"G20": NAME, "MI6": NAME}),
        ("It has omega-3 and is in 3D on 5G.", {}),
        ("Deaths by COVID-19-like fevers rose.", {"COVID-19": NAME}),
    ],
)
def test_digits_in_a_word_are_no_span(text: str, expected: dict[str, MentionKind]) -> None:
    assert [(m.text, m.kind) for m in mentions(text)] == [*expected.items()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In the mid-1990s it closed.", ["1990s"]),
        ("Mid-1990s cars rust.", ["1990s"]),
        ("The under-21 team won.", ["21"]),
        ("The Under-21 Cup is old.", ["21"]),
        ("A 24-hour day of 10PM shows.", ["24", "10"]),
        ("They won 5-3.", ["5", "3"]),
        ("Some 3M people came.", ["3M"]),
    ],
)
def test_digits_with_a_narrowing_word_stay(text: str, expected: list[str]) -> None:
    assert [m.text for m in mentions(text) if m.kind.is_numeric] == expected


@pytest.mark.parametrize("mark", ["1.", "2)", "(3)", "- 12.", "**4.", "  5."])
def test_the_number_of_a_list_is_no_span(mark: str) -> None:
    text = f"There are these:\n{mark} Some dogs bark at 7 mills.\n{mark} Otto barks."
    assert [m.text for m in mentions(text)] == ["7", "Otto"]
    assert [m.text for m in mentions(f"{mark} Some dogs bark at 7 mills.")] == ["7"]
    # The splitter may cut behind the number.
    assert not mentions(f"There are these:\n{mark}")

    # What only looks like it is a number.
    for text in ("It ended in 12. That was late.", "12."):
        assert mentions(text)[0].text == "12"
    assert [m.text for m in mentions("12. May 1932 was a Thursday.")][:2] == ["12", "May 1932"]
    assert mentions("1990. Nobody came.")[0].text == "1990"
    assert mentions("3.5 metres long.")[0].text == "3.5"


def test_a_number_knows_what_it_counts() -> None:
    [mention] = mentions("there are 400 students")
    assert mention.unit == "students"
    [numbering] = mentions("She passed away at age 7 of the flu.")
    assert numbering.unit == ""


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("Born on 9 May 1932 there.", MentionKind.DATE, ["9 May 1932"]),
        ("Born on May 9, 1932, there.", MentionKind.DATE, ["May 9, 1932"]),
        ("Opened in May 1932.", MentionKind.DATE, ["May 1932"]),
        ("He died on 1940 January 1957.", MentionKind.DATE, ["1940 January 1957"]),
        ("It closes from March to late May.", MentionKind.DATE, ["March", "May"]),
        ("May may close it; March on.", MentionKind.DATE, []),
        ("Built from 1901 to 1905.", MentionKind.YEAR, ["1901", "1905"]),
        ("In the early 1990s it closed.", MentionKind.YEAR, ["1990s"]),
        ("It fell in 539 BC.", MentionKind.YEAR, ["539 BC"]),
        ("A 2007 film.", MentionKind.YEAR, ["2007"]),
        ('Her song "The Long Way Home" sold well.', MentionKind.TITLE, ["The Long Way Home"]),
    ],
)
def test_dates_years_and_titles(text: str, kind: MentionKind, expected: list[str]) -> None:
    assert texts_of(text, kind) == expected


FONDS = "La Chaux-de-Fonds"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It was drawn by Ada de Wit in Leeds.", ["Ada de Wit", "Leeds"]),
        ("However, the Mill was sold to Otto Hart.", ["Mill", "Otto Hart"]),
        ("**Kings** is a city on the river.", ["Kings"]),
        ("J. K. Moor's plan failed.", ["J. K. Moor"]),
        ("Some dogs bark in March.", []),
        ("The University of Preston is in the U.S. now.", ["University of Preston", "U.S."]),
        ("It was bought by Moor & Co. It closed later.", ["Moor & Co."]),
        ("She won the Nobel Prize in Chemistry.", ["Nobel Prize in Chemistry"]),
        ("The Ministry of Health and Labour met.", ["Ministry of Health and Labour"]),
        ("It met in New South Wales.", ["New South Wales"]),
        (f"World War I began when I was in {FONDS}.", ["World War I", FONDS]),
        ("Dr. Ada Hart left St. Louis.", ["Dr. Ada Hart", "St. Louis"]),
        ("She met Ada Hart’s brother at King’s College.", ["Ada Hart", "King’s College"]),
        ("He worked for Hart Inc. In Leeds he met Otto.", ["Hart Inc.", "Leeds", "Otto"]),
        ("The head is Ada Hart But the mill closed.", ["Ada Hart"]),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert texts_of(text, MentionKind.NAME) == expected


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="aB1. ,-–)'\"[](5)$%\n éÖ李May2019", max_size=80))
def test_spans_never_overlap_and_lie_in_the_text(text: str) -> None:
    at = 0
    for mention in mentions(text):
        assert at <= mention.start < mention.end <= len(text)
        assert mention.text == text[mention.start : mention.end]
        at = mention.end
