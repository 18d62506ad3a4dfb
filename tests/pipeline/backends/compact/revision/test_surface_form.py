"""How an answer of the evidence is written in the place of the passage's own words."""

import pytest

from pipeline.backends.compact.revision.surface_form import (
    article_for,
    without_neighbours,
    write_like,
)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1975", "9 May 1932", "1932"),
        ("24 BC", "539 B.C.", "539 BC"),
        ("45%", "12", "12%"),
        ("12", "45%", "45"),
        ("twelve", "Six percent", "six"),
        ("12", "US$5 million", "5 million"),
        ("A$3", "5", "A$5"),
        ("US$3 million", "US$5 million", "US$5 million"),
    ],
)
def test_the_new_value_takes_the_old_ones_form(old: str, new: str, expected: str) -> None:
    assert write_like(old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "before", "after", "wanted"),
    [
        ("Jane Coe", "Otto Hart", "It was built by ", " in 1852.", "Otto Hart"),
        ("Coe", "Hart Mill Area", "in the ", " mill area.", "Hart"),
        ("Coe", "Center for Mills", "the Center for ", ".", "Mills"),
        ("Coe", "Hart Mill", "a mill, ", "mill", "Hart Mill"),
    ],
)
def test_words_are_not_doubled(old: str, new: str, before: str, after: str, wanted: str) -> None:
    assert without_neighbours(write_like(old, new), before, after) == wanted


@pytest.mark.parametrize(
    ("before", "old", "new", "wanted"),
    [
        ("It is a ", "17th", "18th", "It is an "),
        ("It is an ", "1853", "1753", "It is a "),
        ("It is an ", "11,000", "110", "It is a "),
        ("An ", "American", "European", "A "),
        ("It is a ", "Leeds", "Honolulu", "It is a "),
        ("She was a ", "UN", "MP", "She was an "),
        ("He was a ", "Ukrainian", "Italian", "He was an "),
        # It was wrong before, and may be right now.
        ("It is an ", "British", "American", "It is an "),
        ("It ran in Visa ", "Coe", "Otto", "It ran in Visa "),
    ],
)
def test_an_article_follows_its_value(before: str, old: str, new: str, wanted: str) -> None:
    assert article_for(new, before, old) == wanted
