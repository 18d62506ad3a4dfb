"""Which hypotheses share a row, and which rows share a batch."""

from collections.abc import Iterator, Sequence

from pipeline.backends.compact.reader.layout import Encoded, Row

ROW_TOKENS = 512
"""A row takes hypotheses until it would be longer: attention grows with the square."""


Seated = tuple[Row, Sequence[int]]
"""A row, and which of the asked pairs its hypotheses are."""


def batches(pairs: Sequence[tuple[Encoded, Encoded]], *, tokens: int) -> Iterator[list[Seated]]:
    """(premise, hypothesis) pairs in rows, and rows of about one length in batches.

    A batch has at most `tokens` tokens if its rows are padded to the longest, or one row.
    """
    rows = sorted(seat(pairs), key=lambda seated: len(seated[0]))
    batch: list[Seated] = []
    for seated in rows:
        # Sorted: this row is the longest of the batch, and the others are padded to it.
        if batch and (len(batch) + 1) * len(seated[0]) > tokens:
            yield batch
            batch = []
        batch.append(seated)
    if batch:
        yield batch


def seat(pairs: Sequence[tuple[Encoded, Encoded]]) -> Iterator[Seated]:
    """Rows that each hold one premise and as many of its hypotheses as `ROW_TOKENS` allow."""
    asking: dict[tuple[int, ...], list[int]] = {}
    for index, (premise, _) in enumerate(pairs):
        asking.setdefault(premise.ids, []).append(index)
    for asked in asking.values():
        premise = pairs[asked[0]][0]
        seats: list[int] = []
        length = first = len(premise.ids) + 2
        for index in asked:
            size = len(pairs[index][1].ids) + 2
            if seats and length + size > ROW_TOKENS:
                yield _seated(premise, seats, pairs)
                seats, length = [], first
            seats.append(index)
            length += size
        yield _seated(premise, seats, pairs)


def _seated(
    premise: Encoded, seats: Sequence[int], pairs: Sequence[tuple[Encoded, Encoded]]
) -> Seated:
    return Row(premise=premise, hypotheses=tuple(pairs[index][1] for index in seats)), seats
