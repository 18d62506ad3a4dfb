"""The grammar of citations, and where statements end."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics import citation_marks
from pipeline.metrics.citation_marks import MARKS, cited, with_citations, without_citations


@pytest.mark.parametrize(
    ("text", "numbers", "bare"),
    [
        ("It fell [1].", (1,), "It fell."),
        ("It fell [1][2].", (1, 2), "It fell."),
        ("It fell [2, 1].", (2, 1), "It fell."),
        ("It fell [1 and 3].", (1, 3), "It fell."),
        ("It fell [1-4].", (1, 2, 3, 4), "It fell."),
        ("It fell [1] and rose [1].", (1,), "It fell and rose."),
        ("It fell [sic] in [1934].", (), "It fell [sic] in [1934]."),
        ("It fell.", (), "It fell."),
        ("It fell. [1] [2, 3]", (1, 2, 3), "It fell."),
        ("[1] It fell [sic] [4-6] .", (1, 4, 5, 6), "It fell [sic] ."),
        ("Array[3] and x", (3,), "Array and x"),
        ("[1]", (1,), ""),
        ("It fell [1]]", (1,), "It fell]"),
    ],
)
def test_every_form_of_citation_is_read_and_removed(
    text: str, numbers: tuple[int, ...], bare: str
) -> None:
    assert (cited(text), without_citations(text)) == (numbers, bare)


@pytest.mark.parametrize(
    ("sentences", "statements"),
    [
        (["It fell.", "[1] Why?"], ["It fell. [1]", "Why?"]),
        (["It fell.", "[1][2]", "Why?"], ["It fell. [1][2]", "Why?"]),
        (["It fell [1].", "[2] . Why?", "[3]"], ["It fell [1]. [2] .", "Why? [3]"]),
        (["[1]"], []),
        ([], []),
    ],
)
def test_a_citation_after_the_full_stop(sentences: list[str], statements: list[str]) -> None:
    text, at, offsets = " ".join(sentences), 0, []
    for each in sentences:
        offsets.append((at, at + len(each)))
        at += len(each) + 1
    assert [text[start:end] for start, end in with_citations(text, offsets)] == statements


@given(st.lists(st.integers(0, 999), min_size=1, max_size=6, unique=True))
def test_however_numbers_are_written_they_are_read_once_in_order(numbers: list[int]) -> None:
    apart = "".join(f"[{each}]" for each in numbers)
    together = f"[{', '.join(map(str, numbers))}]"
    assert cited(apart) == cited(together) == cited(apart + together) == tuple(numbers)
    assert without_citations(f"It fell {apart}.") == without_citations(f"It fell {together}.")


def test_ten_thousand_citations_in_a_row_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "It fell." + "\n[1]" * 10_000
    sentences = [(0, 8), *((start, start + 3) for start in range(9, len(text), 4))]
    read = 0

    class CountingPattern:
        sub = MARKS.sub

        def match(self, text: str, at: int) -> re.Match[str] | None:
            nonlocal read
            result = MARKS.match(text, at)
            read += len(result.group()) if result else 0
            return result

    monkeypatch.setattr(citation_marks, "MARKS", CountingPattern())
    assert list(with_citations(text, sentences)) == [(0, len(text))]
    assert read <= len(text)
