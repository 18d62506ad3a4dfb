"""What changed between two texts, line by line."""

from pipeline.diff.words import Kind, Piece, common_ends, opcodes


def line_diff(old: str, new: str) -> tuple[Piece, ...]:
    """The lines of both texts in order, each the same, removed or added; without line ends.

    The same and the removed lines spell `old`, the same and the added ones `new`. What lies
    between the first and the last change is replaced whole where comparing it would take long.

    >>> [f"{piece.kind}:{piece.text}" for piece in line_diff("a\\nb\\nc", "a\\nB\\nc")]
    ['same:a', 'removed:b', 'added:B', 'same:c']
    """
    before, after = old.splitlines(), new.splitlines()
    head, tail = common_ends(before, after)
    last, last_new = len(before) - tail, len(after) - tail
    pieces = [Piece(kind=Kind.SAME, text=line) for line in before[:head]]
    removed, added = before[head:last], after[head:last_new]
    for tag, start, end, into, until in opcodes(removed, added):
        if tag == "equal":
            pieces += [Piece(kind=Kind.SAME, text=line) for line in removed[start:end]]
            continue
        pieces += [Piece(kind=Kind.REMOVED, text=line) for line in removed[start:end]]
        pieces += [Piece(kind=Kind.ADDED, text=line) for line in added[into:until]]
    pieces += [Piece(kind=Kind.SAME, text=line) for line in before[last:]]
    return tuple(pieces)
