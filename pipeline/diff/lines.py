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
    added: list[Piece] = []  # of the change at hand: they follow its removed lines
    for each in opcodes(before, after):
        if each.tag == "equal":
            pieces += added
            added = []
        old_lines = before[each.src_start : each.src_end]
        kind = Kind.SAME if each.tag == "equal" else Kind.REMOVED
        pieces += [Piece(kind=kind, text=line) for line in old_lines]
        if kind is Kind.REMOVED:
            new_lines = after[each.dest_start : each.dest_end]
            added += [Piece(kind=Kind.ADDED, text=line) for line in new_lines]
    return (*pieces, *added)
