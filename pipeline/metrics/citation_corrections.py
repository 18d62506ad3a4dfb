"""Splits an output into statements without the reference's quirks: see docs/metrics.md."""

import re
from collections.abc import Sequence

from pipeline.metrics.alce_reference import sentences_as_punkt
from pipeline.metrics.citation_marks import (
    GROUP,
    MARKS,
    cited,
    has_words,
    with_citations,
    without_citations,
)
from pipeline.metrics.citation_support import Statement
from pipeline.metrics.correctness import normalised

_CITATION_OR_COMMA = re.compile(rf"{GROUP}|,")


def parts(text: str, sentences: Sequence[tuple[int, int]]) -> list[str]:
    """Split `text` into statements with their citations; `sentences` are offsets.

    Citations after a full stop belong to the sentence before it, but in a text that begins with a
    citation to the sentence after it.
    """
    if MARKS.match(text.lstrip()):  # "[1] It fell. [2] It rose.", as ALCE's post_hoc_cite.py writes
        cut = sentences_as_punkt([text[start:end] for start, end in sentences])
        return [each for each in cut if has_words(each)]
    return [text[start:end] for start, end in with_citations(text, sentences)]


def statement(text: str, *, passages: int, at_most: int, before: str = "") -> Statement:
    """Parse a statement that may cite so many `passages`; its text is prefixed with `before`.

    A number counts once, also in lists and ranges. The first `at_most` valid ones are scored;
    each number of an absent passage is a wrong citation.

    >>> statement("It fell [0][2-4].", passages=3, at_most=3)
    Statement(text='It fell.', sources=(1, 2), wrong=2)
    """
    numbers = cited(text)
    there = [number - 1 for number in numbers if 1 <= number <= passages]
    return Statement(
        text=before + without_citations(text),
        sources=tuple(there[:at_most]),
        wrong=len(numbers) - len(there),
    )


def listed(output: str) -> list[str]:
    """Split a list at its commas outside of citations.

    >>> listed("Nim [1, 2], Go [3], .")
    ['Nim [1, 2]', 'Go [3]']
    """
    text = output.rstrip().rstrip(".,")
    marks = _CITATION_OR_COMMA.finditer(text)
    commas = [mark.start() for mark in marks if mark.group() == ","]
    edges = zip([0, *(comma + 1 for comma in commas)], [*commas, len(text)], strict=True)
    parts = (text[start:end].strip() for start, end in edges)
    return [each for each in parts if normalised(without_citations(each))]
