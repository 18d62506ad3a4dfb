"""What is wrong with the form of an answer, by our own examples."""

import pytest

from pipeline.generation.answer_format import PROBLEMS, VIOLATIONS, check_format


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("The hall opened in 1904 [1]. It has 812 seats [2].", []),
        ("The hall opened in 1904. [1] It has 812 seats.[1][2]", []),
        ("Seats: 812, gallery included [1-2].", []),
        ("The hall (1904) is in Denby [1].", []),
        ("The hall opened in 1904.", ["uncited"]),
        ("", ["uncited"]),
        ("It opened in 1904 [3].", ["unknown-source"]),
        ("It opened in 1904 [0].", ["unknown-source"]),
        ("It opened in 1904 [1-4].", ["unknown-source"]),
        ("It opened in 1904 [2-1]. It has seats [1].", ["other-brackets"]),
        ("It opened [1]. References: [1] Marlow Hall.", ["reference-list", "uncited-end"]),
        ("It opened [1]. Sources:\n1. Marlow Hall", ["reference-list", "uncited-end"]),
        ("It opened in 1904 (1).", ["uncited", "other-brackets"]),
        ("It opened in 1904 [Source 1].", ["uncited", "other-brackets"]),
        ("It opened in 1904 [1], and has seats (Document 2) too [2].", ["other-brackets"]),
        ("It opened in 1904【1】.", ["uncited", "other-brackets"]),
        ("It opened in 1904 [1]. It is much loved.", ["uncited-end"]),
        ("It has 12 m² (12) rooms [sic], as [1984] says [1].", []),
        ("It opened in 1904 [[1]].", ["other-brackets"]),
        ("It opened in 1904 [1](https://example.org).", ["other-brackets", "uncited-end"]),
        ("It opened in 1904 [1", ["uncited", "other-brackets"]),
        ("It opened in 1904.² It has seats [1].", ["other-brackets"]),
        ("It opened [1].\n[1] Marlow Hall", ["reference-list", "uncited-end"]),
        ("<script>alert(1)</script> [1]", ["markup"]),
    ],
)
def test_problems_are_distinguished(text: str, problems: list[str]) -> None:
    assert list(check_format(text, sources=2)) == problems


def test_only_the_last_words_may_stay_uncited() -> None:
    assert set(PROBLEMS) - set(VIOLATIONS) == {"uncited-end"}
