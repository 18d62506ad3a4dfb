"""When two names name one thing."""

import pytest

from pipeline.backends.compact.values import same_name


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
