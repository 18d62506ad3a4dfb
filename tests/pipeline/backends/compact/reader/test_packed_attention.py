"""Rows in a line attend as padded rows under a mask do, each as if it were alone."""

import pytest
import torch

from pipeline.backends.compact.reader.attention import attend, mask_of
from pipeline.backends.compact.reader.layout import Encoded, Row, lay, lay_in_line
from pipeline.backends.compact.reader.network import allowed_by
from pipeline.backends.compact.reader.packed_attention import attend_in_line, stretches_of

HEADS, WIDTH = 2, 8


def text(*ids: int) -> Encoded:
    return Encoded(ids, tuple((i, i + 1) for i in range(len(ids))))


ROWS = (
    Row(premise=text(5, 6, 7, 8, 9), hypotheses=(text(5, 6),)),
    Row(premise=text(4), hypotheses=(text(4, 1, 2), text(3), text(4, 4))),
    Row(premise=text(), hypotheses=(text(),)),
)


def mixed(tokens: int) -> torch.Tensor:
    return torch.randn(tokens, 3 * WIDTH, generator=torch.Generator().manual_seed(3))


def padded(row: Row, part: torch.Tensor) -> torch.Tensor:
    """The same by attention over one padded row under a mask."""
    laid = part.view(1, len(row), 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
    mask = mask_of(allowed_by(lay([row]).segments), torch.float32)
    return attend(*laid, mask)[0].transpose(0, 1).reshape(len(row), WIDTH)


def test_each_row_sees_what_it_would_see_alone_under_a_mask() -> None:
    line = mixed(sum(map(len, ROWS)) + 5)
    with torch.inference_mode():
        found = attend_in_line(line, HEADS, stretches_of(ROWS))
        at = 0
        for row in ROWS:
            alone = padded(row, line[at : at + len(row)])
            torch.testing.assert_close(found[at : at + len(row)], alone)
            at += len(row)
    assert not found[at:].any(), "what fills the line up sees nothing"


def test_without_premises_hypotheses_see_the_same() -> None:
    line = mixed(sum(map(len, ROWS)))
    with torch.inference_mode():
        whole = attend_in_line(line, HEADS, stretches_of(ROWS))
        some = attend_in_line(line, HEADS, stretches_of(ROWS), premises=False)
    for row in stretches_of(ROWS):
        assert torch.equal(some[row.middle : row.end], whole[row.middle : row.end])
        assert not some[row.start : row.middle].any()


def test_one_hypothesis_may_look_at_all_of_its_row() -> None:
    assert [row.mask is None for row in stretches_of(ROWS)] == [True, False, True]


@pytest.mark.parametrize("step", [1, 16])
def test_rows_stand_one_after_another_and_are_filled_up_at_the_end(step: int) -> None:
    line = lay_in_line(ROWS, step=step)
    total = sum(map(len, ROWS))
    assert line.ids.shape == (1, total + -total % step)
    at = 0
    for row in ROWS:
        alone = lay([row])
        for name in ("ids", "positions", "segments", "matches"):
            found = getattr(line, name)[0, at : at + len(row)]
            assert torch.equal(found, getattr(alone, name)[0])
        at += len(row)
    assert (line.segments[0, at:] == -1).all()
