"""Windows: each takes what fits, and no part is left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.windows import windows


@pytest.mark.parametrize(
    ("sizes", "options", "expected"),
    [
        ([], {"room": 3}, []),
        ([2, 3, 4], {"room": 5}, [(0, 2), (2, 3)]),
        ([9, 1], {"room": 5}, [(0, 1), (1, 2)]),
        ([1, 1, 1, 1], {"count": 3, "step": 1}, [(0, 3), (1, 4)]),
        ([1, 1, 1], {"count": 1, "step": 9}, [(0, 1), (1, 2), (2, 3)]),
        ([3, 1, 1, 3], {"room": 5, "overlap": 1}, [(0, 3), (2, 4)]),
        ([3, 1, 1, 3], {"room": 5, "overlap": 2}, [(0, 3), (1, 4)]),
        ([5, 5], {"room": 5, "overlap": 5}, [(0, 1), (1, 2)]),
    ],
)
def test_a_window_takes_what_fits(
    sizes: list[int], options: dict[str, int], expected: list[tuple[int, int]]
) -> None:
    assert windows(sizes, **options) == expected


SIZE = st.integers(1, 9)


@given(sizes=st.lists(st.integers(0, 9)), room=SIZE, count=SIZE, step=SIZE, overlap=SIZE)
def test_windows_move_on_and_leave_nothing_out(sizes: list[int], **options: int) -> None:
    at = -1
    reached = 0
    for first, last in windows(sizes, **options):
        assert at < first <= reached <= last
        assert last - first == 1 or sum(sizes[first:last]) <= options["room"]
        at, reached = first, last
    assert reached == len(sizes)
