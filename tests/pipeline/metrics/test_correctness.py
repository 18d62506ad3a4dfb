"""Short answers against gold answers."""

from collections.abc import Callable

import pytest

from pipeline.metrics.correctness import exact_match, normalised, token_f1, yes_no_match, yes_or_no

Score = Callable[[str, list[str]], float | None]


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


@pytest.mark.parametrize(
    ("score", "answer", "gold", "expected"),
    [
        (exact_match, "the Peru!", ["Bolivia", "Peru"], 1.0),
        (exact_match, "Chile", ["Bolivia", "Peru"], 0.0),
        # No answer is never right.
        (exact_match, "", [""], 0.0),
        (exact_match, "the", ["a"], 0.0),
        (exact_match, "x", [], None),
        # F1 counts each word as often as both have it.
        (token_f1, "b b b", ["b b x"], 2 / 3),
        (token_f1, "b", ["x", "b"], 1.0),
        (token_f1, "", ["x"], 0.0),
        (token_f1, "x", [], None),
        (yes_no_match, "unknown", ["yes"], 0.0),
        (yes_no_match, "no", ["yes"], 0.0),
        (yes_no_match, "yes", ["Fleming"], None),
        (yes_no_match, "yes", [], None),
        # A gold answer that begins with no is no "no".
        (yes_no_match, "no", ["No Doubt"], None),
        (yes_no_match, "no", ["No."], 1.0),
    ],
)
def test_scores_by_hand(score: Score, answer: str, gold: list[str], expected: float | None) -> None:
    assert score(answer, gold) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("YES!", True), ("No. It died.", False), ("False", False), ("Nobody", None), ("", None)],
)
def test_yes_and_no_are_read_from_the_first_word(answer: str, expected: bool | None) -> None:
    assert yes_or_no(answer) is expected
