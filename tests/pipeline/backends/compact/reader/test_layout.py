"""Tokens in rows, and back to places in the texts."""

import pytest

from pipeline.backends.compact.reader.layout import (
    CLS,
    MASK,
    PAD,
    SEP,
    Encoded,
    EncodedRow,
    masked,
    matches_of,
    pad_rows,
)
from tests.pipeline.backends.compact.reader.tiny import encoded as text_encoded


def encoded(*ids: int) -> Encoded:
    return Encoded(ids, tuple((2 * i, 2 * i + 1) for i in range(len(ids))))


@pytest.mark.parametrize(
    ("premise", "hypothesis", "expected"),
    [
        ([5, 6, 7], [5, 6, 9, 7], [3, 3, 1, 2]),
        ([5, 6], [6, 5], [2, 2]),
        ([5, 5], [5, 5, 5], [3, 3, 3]),
        ([], [5], [1]),
        ([5], [], []),
    ],
)
def test_a_match_reports_whether_a_token_and_its_neighbour_stand_in_the_premise(
    premise: list[int], hypothesis: list[int], expected: list[int]
) -> None:
    assert matches_of(premise, hypothesis) == expected


@pytest.mark.parametrize(
    ("start", "end", "ids", "position"),
    [
        (2, 3, (7, MASK, 9), 1),
        (0, 3, (MASK, 9), 0),
        (0, 5, (MASK,), 0),
        (5, 5, (7, 8, 9, MASK), 3),
        (40, 44, (7, 8, 9, MASK), 3),
        (1, 2, (7, MASK, 8, 9), 1),
    ],
)
def test_a_span_gets_one_mask(start: int, end: int, ids: tuple[int, ...], position: int) -> None:
    result, where = masked(encoded(7, 8, 9), start, end)
    assert result.ids == ids
    assert where == position
    assert len(result.spans) == len(ids)


def test_a_mask_for_a_part_of_a_word_represents_its_piece() -> None:
    text = text_encoded("the millers")
    assert masked(text, 9, 10)[0].ids[1:] == (text.ids[1], MASK, text.ids[3])


def test_a_row_holds_one_premise_and_its_hypotheses() -> None:
    row = EncodedRow(premise=encoded(7, 8), hypotheses=(encoded(8), encoded(9, 7, 8)))
    assert len(row) == 12
    assert row.firsts() == [4, 7]
    rows = pad_rows([row, EncodedRow(premise=encoded(7), hypotheses=())])
    assert rows.ids.tolist() == [
        [CLS, 7, 8, SEP, CLS, 8, SEP, CLS, 9, 7, 8, SEP],
        [CLS, 7, SEP, *[PAD] * 9],
    ]
    assert rows.positions[0].tolist() == [0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 3, 4]
    assert rows.segments[0].tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
    assert rows.segments[1].tolist() == [0, 0, 0, *[-1] * 9]
    assert rows.matches[0].tolist() == [0, 0, 0, 0, 0, 2, 0, 0, 1, 3, 3, 0]
