"""Tokens in rows, and back to places in the texts."""

import pytest

from pipeline.backends.compact.reader import layout
from pipeline.backends.compact.reader.layout import CLS, MASK, PAD, SEP, Encoded, EncodedRow


def encoded(*ids: int) -> Encoded:
    return Encoded(ids, tuple((2 * i, 2 * i + 1) for i in range(len(ids))))


def test_a_match_reports_a_repeated_token_and_one_without_neighbours() -> None:
    assert layout.matches_of([5, 6], [6, 5]) == [2, 2]
    assert layout.matches_of([5, 5], [5, 5, 5]) == [3, 3, 3]
    assert (layout.matches_of([], [5]), layout.matches_of([5], [])) == ([1], [])


@pytest.mark.parametrize(
    ("start", "end", "ids", "position"),
    [
        (2, 3, (7, MASK, 9), 1),
        (0, 3, (MASK, 9), 0),
        (0, 5, (MASK,), 0),
        (5, 5, (7, 8, 9, MASK), 3),
        (40, 44, (7, 8, 9, MASK), 3),
        (1, 2, (7, MASK, 8, 9), 1),
        (3, 4, (7, 8, MASK, 9), 2),
    ],
)
def test_a_span_gets_one_mask(start: int, end: int, ids: tuple[int, ...], position: int) -> None:
    text, mask = layout.masked(encoded(7, 8, 9), start, end)
    assert (text.ids, mask, len(text.spans)) == (ids, position, len(ids))


def test_a_row_holds_one_premise_and_its_hypotheses() -> None:
    row = EncodedRow(premise=encoded(7, 8), hypotheses=(encoded(8), encoded(9, 7, 8)))
    assert len(row) == 12
    assert row.firsts() == [4, 7]
    rows = layout.pad_rows([row, EncodedRow(premise=encoded(7), hypotheses=())])
    assert rows.ids.tolist() == [
        [CLS, 7, 8, SEP, CLS, 8, SEP, CLS, 9, 7, 8, SEP],
        [CLS, 7, SEP, *[PAD] * 9],
    ]
    assert rows.positions[0].tolist() == [0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 3, 4]
    assert rows.segments[0].tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
    assert rows.segments[1].tolist() == [0, 0, 0, *[-1] * 9]
    assert rows.matches[0].tolist() == [0, 0, 0, 0, 0, 2, 0, 0, 1, 3, 3, 0]
