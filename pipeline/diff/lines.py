"""What changed between two texts, line by line."""

from pipeline.diff.words import Kind, Piece, opcodes


def line_diff(old: str, new: str) -> tuple[Piece, ...]:
    """The lines of both texts in order, each the same, removed or added; without line ends.

    The same and the removed lines spell `old`, the same and the added ones `new`.

    >>> [f"{piece.kind}:{piece.text}" for piece in line_diff("a\\nb\\nc", "a\\nB\\nc")]
    ['same:a', 'removed:b', 'added:B', 'same:c']
    """
    before, after = old.splitlines(), new.splitlines()
    pieces: list[Piece] = []
    for each in opcodes(before, after):
        old_lines = before[each.src_start : each.src_end]
        new_lines = after[each.dest_start : each.dest_end]
        if each.tag == "equal":
            pieces += [Piece(kind=Kind.SAME, text=line) for line in old_lines]
            continue
        pieces += [Piece(kind=Kind.REMOVED, text=line) for line in old_lines]
        pieces += [Piece(kind=Kind.ADDED, text=line) for line in new_lines]
    return tuple(pieces)
