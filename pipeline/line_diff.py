"""What changed between two texts, line by line."""

from difflib import SequenceMatcher

from pipeline.word_diff import Kind, Piece


def line_diff(old: str, new: str) -> tuple[Piece, ...]:
    """The lines of both texts in order, each the same, removed or added; without line ends.

    The same and the removed lines spell `old`, the same and the added ones `new`.

    >>> [f"{piece.kind}:{piece.text}" for piece in line_diff("a\\nb\\nc", "a\\nB\\nc")]
    ['same:a', 'removed:b', 'added:B', 'same:c']
    """
    before, after = old.splitlines(), new.splitlines()
    pieces: list[Piece] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, into, until in matcher.get_opcodes():
        if tag == "equal":
            pieces += [Piece(kind=Kind.SAME, text=line) for line in before[start:end]]
            continue
        pieces += [Piece(kind=Kind.REMOVED, text=line) for line in before[start:end]]
        pieces += [Piece(kind=Kind.ADDED, text=line) for line in after[into:until]]
    return tuple(pieces)
