"""CSV cells."""

import re

import pytest

from rarrweb.web.csv import FORMULA_STARTS, neutral

NEUTRALIZED = r"^\x27(\x27*[=+\-@\t\r\n＝＋－＠])"
"""What `neutral` made begins so; the first group is the text without the apostrophe."""


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_no_cell_begins_as_a_formula(start: str) -> None:
    assert neutral(f"{start}1") == f"'{start}1"


@pytest.mark.parametrize("start", [*FORMULA_STARTS, "", "x", "'", "''x"])
@pytest.mark.parametrize("quotes", ["", "'", "''"])
def test_a_cell_is_read_back_as_it_was_written(quotes: str, start: str) -> None:
    text = f"{quotes}{start}1 =2\n=3"
    assert re.sub(NEUTRALIZED, r"\1", str(neutral(text))) == text


def test_a_nul_does_not_end_a_cell() -> None:
    assert neutral("=a\x00b") == "'=a\ufffdb"
