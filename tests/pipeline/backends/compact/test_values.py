"""When two names, or two ways to write a value, denote the same."""

import pytest

from pipeline.backends.compact.text.dates import CalendarDate, written_like
from pipeline.backends.compact.text.spans import mentions
from pipeline.backends.compact.values import contains_value, same_name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ICELAND", "Iceland"),
        ("Röntgen", "Rontgen"),
        ("Tromsø", "Tromso"),
        ("Marie Skłodowska", "Marie Sklodowska"),
        ("Iceland's", "Iceland"),
        ("Dr. Ada Coe", "Ada Coe"),
        ("YouTube", "You Tube"),
        ("Oxford University", "the University of Oxford"),
        ("NATO", "North Atlantic Treaty Organization"),
        ("Second World War", "World War II"),
        ("Dutch Navy", "Navy of the Netherlands"),
        ("Nigerian", "Nigeria"),
        ("Harry Potter", "Potter"),
        ("Marie Curie", "Marie Skłodowska Curie"),
    ],
)
def test_equal_words_aliases_initials_and_parts_are_one_name(one: str, other: str) -> None:
    assert same_name(one, other)
    assert same_name(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Iceland", "Ireland"),
        ("Gambia", "Zambia"),
        ("Harry Porter", "Harry Potter"),
        ("Porter", "Harry Potter"),
        ("Adams", "Adam"),
        ("John Adams", "John Adam"),
        ("Andersen", "Anderson"),
        ("Indian", "Indiana"),
        ("Nigerian", "Niger"),
        ("Romanian", "Roman"),
        ("Martin", "Martian"),
        ("Austria", "Australian"),
    ],
)
def test_names_whose_letters_are_only_alike_are_two(one: str, other: str) -> None:
    assert not same_name(one, other)
    assert not same_name(other, one)


WITH_1932 = ["born on 9 May 1932", "born in mid-1932", "the season of 1932/33", "the (1932) film"]
WITH_1932 += ["the 1932–33 season"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1,200", "there were 1200 of them"),
        ("1.2 thousand", "there were 1,200 of them"),
        ("twelve", "a team of 12"),
        ("about 5 million", "a population of 4,987,000"),
        ("45%", "45 per cent of them"),
        ("9 May 1932", "born May 9, 1932"),
        *(("1932", text) for text in WITH_1932),
        ("the 1990s", "it began in 1993"),
        ("Barack Obama", "Obama was elected"),
        ("Italian", "a painter from Italy"),
        ("U.S.", "in the United States"),
        ("Röntgen", "Rontgen won it"),
        ("the UN", "the United Nations voted"),
        ("100k followers", "100,000 followers"),
        ("$1.2m", "it cost $1,200,000"),
        ("3bn", "three billion of them"),
        ("40 metres", "40 m (131 ft) tall"),
        ("some MCQs", "Multiple Choice Questions are set"),
    ],
)
def test_the_same_value_written_otherwise_is_in_the_text(value: str, text: str) -> None:
    assert contains_value(mentions("say " + value)[0], text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1934", "born on 9 May 1932"),
        ("12 May 1932", "born on 9 May 1932"),
        ("1,300", "there were 1200 of them"),
        ("100k followers", "10,000 followers"),
        ("$5m", "it cost $5"),
        ("in October 2007", "Published 22 May 2007. They play in August."),
        ("Iran", "a river in Iraq"),
        ("Otto Hart", "Otto Brand built it"),
        ("three mechanisms", "two mechanisms in 3 dimensions"),
        ("the Canadian Senior Team", "it has branches in Canada"),
        ("some Smiths", "Jane Smith came"),
        ("12 floors", "it has 7 floors, opened in 1840 and closed in 1852"),
        ("54 years", "lived from 1901 to 1955"),
        ("1852", "its number is 218527"),
        ("1852", "it has 1852 windows"),
        ("1,852 windows", "it opened in 1852"),
    ],
)
def test_another_value_does_not_stand_in_the_text(value: str, text: str) -> None:
    assert not contains_value(mentions("say " + value)[0], text)


@pytest.mark.parametrize(
    ("year", "pattern", "expected"),
    [
        (1932, "June 3, 1975", "May 9, 1932"),
        (1932, "3 June 1975", "9 May 1932"),
        (1932, "3rd June 1975", "9th May 1932"),
        (1932, "1975-06-03", "1932-05-09"),
        (1932, "June 1975", "May 1932"),
        (None, "May 6, 2018", "May 9, 2018"),  # an unknown year stays
    ],
)
def test_a_date_follows_the_passages_form(year: int | None, pattern: str, expected: str) -> None:
    assert written_like(CalendarDate(year=year, month=5, day=9), pattern) == expected
