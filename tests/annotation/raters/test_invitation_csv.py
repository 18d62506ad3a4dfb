"""A list of people to invite: read whole, or refused with everything that is wrong in it."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.raters.invitation_csv import BadList, Problem, read_list

LIST = "email,name,role\nanna@example.org,Anna,rater\nben@example.org,,adjudicator\n,Rater 7,\n"


def problems_of(text: str | bytes) -> list[tuple[int, str]]:
    with pytest.raises(BadList) as caught:
        read_list(text if isinstance(text, bytes) else text.encode())
    assert all(isinstance(each, Problem) and each.text for each in caught.value.problems)
    return [(each.line, each.field) for each in caught.value.problems]


def test_a_list_is_read_with_its_lines() -> None:
    rows = read_list(LIST.encode())
    assert [(row.line, row.email, row.name, row.role) for row in rows] == [
        (2, "anna@example.org", "Anna", "annotator"),
        (3, "ben@example.org", "", "adjudicator"),
        (4, "", "Rater 7", "annotator"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffemail\nanna@example.org\n",
        "Email;Name\r\nanna@example.org;Anna, the first\r\n",
        "name,EMAIL\n\n,anna@example.org\n\n",
    ],
)
def test_what_spreadsheets_write_is_read(text: str) -> None:
    assert [row.email for row in read_list(text.encode())] == ["anna@example.org"]


def test_the_line_is_the_files_also_after_a_cell_of_two_lines() -> None:
    assert problems_of('name\n"two\nlines"\n\nfine\nfine\n') == [(2, "name"), (6, "name")]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", [(1, "")]),
        ("who\nanna\n", [(1, "")]),
        ("email,age\na@example.org,3\n", [(1, "")]),
        ("email,email\na@example.org,b@example.org\n", [(1, "")]),
        ("email\n", [(2, "")]),
        ("email\nnot an address\n", [(2, "email")]),
        ("email,name\n,\n,x\n , \n", None),
        ("email,role\na@example.org,boss\n", [(2, "role")]),
        ("email,role\n,rater\n", [(2, "email")]),
        ("email\na@example.org\nb@example.org\nA@Example.org\n", [(4, "email")]),
        ("name\nAnna\nanna\n", [(3, "name")]),
        ("name\n" + "x" * 201 + "\n", [(2, "name")]),
        ("name\nAnna,too many\n", [(2, "")]),
        ("email,role\nbad,boss\nbad too,\n", [(2, "email"), (2, "role"), (3, "email")]),
        ('name\nAnna\n"Ben\nCora\nDora\n', [(3, "")]),
        ('name\nAnna\n"Ben\n"Cora"\nDora\n', [(3, "")]),
        ('name,email\n"Ben" Baker,b@example.org\n', [(2, "")]),
        ("name\n" + "x" * 201 + '\n"Ben\n', [(2, "name"), (3, "")]),
    ],
)
def test_what_is_wrong_is_named_by_line_and_field(
    text: str, where: list[tuple[int, str]] | None
) -> None:
    if where is None:
        assert len(read_list(text.encode())) == 1
    else:
        assert problems_of(text) == where


def test_bytes_that_are_no_utf_8_are_named() -> None:
    assert problems_of(b"name\nAnna\nJ\xfcrgen\n") == [(3, "")]


@settings(max_examples=100)
@given(st.binary(max_size=60) | st.text('nam,e;"\\r\\n\\0', max_size=60).map(str.encode))
def test_any_bytes_give_rows_or_what_is_wrong(content: bytes) -> None:
    for data in (content, b"name\n" + content, b"name;email\n" + content):
        with suppress(BadList):
            assert read_list(data)


def test_a_list_too_long_is_refused() -> None:
    assert (2002, "") in problems_of("name\n" + "".join(f"n{i}\n" for i in range(2001)))
    assert problems_of(b"name\n" + b"x" * 1_000_001) == [(1, "")]


def test_one_person_may_have_both_roles() -> None:
    text = "email,role\na@example.org,rater\na@example.org,adjudicator\n"
    assert len(read_list(text.encode())) == 2
