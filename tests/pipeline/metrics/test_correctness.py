"""Short answers against gold answers."""

import pytest

from pipeline.metrics.correctness import (
    exact_match,
    normalised,
    token_f1,
    yes_no_match,
    yes_or_no,
)


@pytest.mark.parametrize(
    ("answer", "bare"),
    [
        ("An Apple", "apple"),
        ("3 March, 1875.", "3 march 1875"),
        ("“Ana” the  Great", "ana great"),
        ("theatre", "theatre"),
        ("STRASSE", normalised("straße")),
        ("", ""),
    ],
)
def test_what_does_not_change_an_answer_is_dropped(answer: str, bare: str) -> None:
    assert normalised(answer) == bare


def test_any_of_the_gold_answers_will_do() -> None:
    assert exact_match("the Peru!", ["Bolivia", "Peru"]) == 1.0
    assert exact_match("Chile", ["Bolivia", "Peru"]) == 0.0


def test_no_answer_is_never_right() -> None:
    assert exact_match("", [""]) == 0.0
    assert exact_match("the", ["a"]) == 0.0
    assert token_f1("", ["x"]) == 0.0


def test_without_gold_there_is_nothing_to_score() -> None:
    assert exact_match("x", []) is None
    assert token_f1("x", []) is None
    assert yes_no_match("yes", []) is None


def test_f1_counts_each_word_as_often_as_both_have_it() -> None:
    assert token_f1("b b b", ["b b x"]) == pytest.approx(2 / 3)
    assert token_f1("b", ["x", "b"]) == 1.0


@pytest.mark.parametrize(
    ("answer", "message"),
    [("YES!", True), ("No. It died.", False), ("False", False), ("Nobody", None), ("", None)],
)
def test_yes_and_no_are_read_from_the_first_word(answer: str, message: bool | None) -> None:
    assert yes_or_no(answer) is message


def test_neither_yes_nor_no_is_wrong() -> None:
    assert yes_no_match("unknown", ["yes"]) == 0.0
    assert yes_no_match("no", ["yes"]) == 0.0
    assert yes_no_match("yes", ["Fleming"]) is None


def test_a_gold_answer_that_begins_with_no_is_no_no() -> None:
    assert yes_no_match("no", ["No Doubt"]) is None
    assert yes_no_match("no", ["No."]) == 1.0
