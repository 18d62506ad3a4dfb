"""Two texts, line by line."""

from pipeline.diff.lines import line_diff
from pipeline.diff.words import Kind

OLD, NEW = "a\n\nb\nc\nd", "a\n\nB\nd\ne"


def test_both_texts_can_be_read_from_it() -> None:
    pieces = line_diff(OLD, NEW)
    assert "\n".join(p.text for p in pieces if p.kind is not Kind.ADDED) == OLD
    assert "\n".join(p.text for p in pieces if p.kind is not Kind.REMOVED) == NEW
    assert [p.text for p in pieces if p.kind is Kind.SAME] == ["a", "", "d"]


def test_equal_texts_have_nothing_but_same_lines() -> None:
    assert {piece.kind for piece in line_diff(OLD, OLD)} == {Kind.SAME}
