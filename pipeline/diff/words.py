"""Word diffs of two texts, for people."""

import enum
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rapidfuzz.distance import Indel, Opcode, Postfix, Prefix

# Scripts without spaces between words, compared by character.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTER = rf"(?:(?![{_UNSPACED}])\w)"
# A word, number or sign, after white space.
_TOKEN = re.compile(
    rf"\s*(?:\d+(?:[.,:]\d+)*{_LETTER}*|[{_UNSPACED}]|{_LETTER}+(?:['’]{_LETTER}+)*|\S)|\s+"
)
# Indel needs a bit per pair of tokens: 62 MB and about 0.6 s.
_MAX_PAIRS = 500_000_000


class PieceKind(enum.StrEnum):
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A span of a diff."""

    kind: PieceKind
    text: str


def word_diff(old: str, new: str) -> tuple[Piece, ...]:
    """Diff two texts: same and removed pieces spell `old`, same and added ones `new`.

    Removed words come first. Beyond about 120,000 characters each, everything between the first and
    last change is replaced.

    >>> [f"{piece.kind}:{piece.text}" for piece in word_diff("born in 1950.", "born in 1952.")]
    ['same:born in ', 'removed:1950', 'added:1952', 'same:.']
    """
    # Start at a word, so that changed words include the space after them.
    start = old.rfind(" ", 0, Prefix.similarity(old, new)) + 1
    a, b = _tokens(old[start:]), _tokens(new[start:])
    pieces = [Piece(kind=PieceKind.SAME, text=old[:start])]
    # rapidfuzz cannot compare empty texts.
    keys = [[token.lstrip() or " " for token in tokens] for tokens in (a, b)]
    for each in _opcodes(*keys):
        before, after = a[each.src_start : each.src_end], b[each.dest_start : each.dest_end]
        if each.tag == "equal":
            pieces += _equal(before, after)
        else:
            pieces.append(Piece(kind=PieceKind.REMOVED, text="".join(before)))
            pieces.append(Piece(kind=PieceKind.ADDED, text="".join(after)))
    return _joined(pieces)


def first_change(old: str, new: str, *, before: int = 40, length: int = 300) -> tuple[Piece, ...]:
    """Return the first difference of two texts with its surroundings; () if they are equal.

    `before` limits the characters before it, `length` those compared in each text; "…" marks cuts.
    """
    if old == new:
        return ()
    start = Prefix.similarity(old, new)
    # Start at a word, unless it is longer than `before`.
    cut = max(start - before, 0)
    if cut:
        space = re.search(r"\s\b", old[cut:start])
        cut += space.end() if space else 0
    pieces = word_diff(old[cut : start + length], new[cut : start + length])
    parts: list[Piece] = []
    if cut:
        parts.append(Piece(kind=PieceKind.SAME, text="…"))
    seen = False
    for piece in pieces:
        if piece.kind is PieceKind.SAME and seen:
            is_end = piece is pieces[-1] and start + length >= max(len(old), len(new))
            text = piece.text if is_end else f"{piece.text}…"
            parts.append(Piece(kind=PieceKind.SAME, text=_clipped_end(text, before)))
            break
        seen = seen or piece.kind is not PieceKind.SAME
        parts.append(Piece(kind=piece.kind, text=_clipped_end(piece.text, length // 2)))
    return _joined(parts)


def excerpt(pieces: Sequence[Piece], *, around: int = 60) -> tuple[Piece, ...]:
    """Return the changes of a diff, each with about `around` characters of context."""
    parts: list[Piece] = []
    last = len(pieces) - 1
    for index, piece in enumerate(pieces):
        text = piece.text
        if piece.kind is PieceKind.SAME and len(text) > 2 * around + 20:
            head = "" if index == 0 else _clipped_end(text, around)[:-1]
            tail = "" if index == last else _clipped_start(text, around)[1:]
            text = f"{head}…{tail}"
        elif piece.kind is PieceKind.SAME and index == 0:
            text = _clipped_start(text, around)
        elif piece.kind is PieceKind.SAME and index == last:
            text = _clipped_end(text, around)
        parts.append(Piece(kind=piece.kind, text=text))
    return tuple(parts)


def _clipped_end(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    space = text.rfind(" ", most // 2, most)
    return text[: space if space > 0 else most].rstrip("…") + "…"


def _clipped_start(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    cut = len(text) - most
    space = text.find(" ", cut, cut + most // 2)
    return "…" + text[space if space > 0 else cut :]


def _tokens(text: str) -> list[str]:
    """Combining marks stay with their letters."""
    tokens: list[str] = []
    for token in _TOKEN.findall(text):
        joins = unicodedata.category(token[0])[0] == "M" or token[0] == "\u200d"
        if tokens and (joins or tokens[-1][-1] == "\u200d"):
            tokens[-1] += token
        else:
            tokens.append(token)
    return tokens


def _opcodes(a: Sequence[str], b: Sequence[str]) -> Iterable[Opcode]:
    start, end = common_ends(a, b)
    last_a, last_b = len(a) - end, len(b) - end
    if (last_a - start) * (last_b - start) <= _MAX_PAIRS:
        return Indel.opcodes(a, b)
    return [
        Opcode("equal", 0, start, 0, start),
        Opcode("replace", start, last_a, start, last_b),
        Opcode("equal", last_a, len(a), last_b, len(b)),
    ]


def common_ends(a: Sequence[str], b: Sequence[str]) -> tuple[int, int]:
    """Return the lengths of the common beginning, and of the common end of the rest."""
    start = Prefix.similarity(a, b)
    return start, Postfix.similarity(a[start:], b[start:])


def _equal(old: list[str], new: list[str]) -> Iterator[Piece]:
    """Yield equal words, whose preceding white space may differ."""
    for was, is_now in zip(old, new, strict=True):
        if was == is_now:
            yield Piece(kind=PieceKind.SAME, text=was)
        else:
            word = was.lstrip()
            yield Piece(kind=PieceKind.REMOVED, text=was.removesuffix(word))
            yield Piece(kind=PieceKind.ADDED, text=is_now.removesuffix(word))
            yield Piece(kind=PieceKind.SAME, text=word)


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Join neighbours, removed before added; white space that both begin with is the same."""
    joined: list[Piece] = []
    same = ""
    visible = (piece for piece in pieces if piece.text)
    for is_same, run in groupby(visible, key=lambda piece: piece.kind is PieceKind.SAME):
        if is_same:
            same = "".join(piece.text for piece in run)
            continue
        changed = list(run)
        old, new = (
            "".join(piece.text for piece in changed if piece.kind is kind)
            for kind in (PieceKind.REMOVED, PieceKind.ADDED)
        )
        lead = old[: len(old) - len(old.lstrip())]
        if old and new and new.startswith(lead):
            same, old, new = same + lead, old[len(lead) :], new[len(lead) :]
        joined += [Piece(kind=PieceKind.SAME, text=same), Piece(kind=PieceKind.REMOVED, text=old)]
        joined.append(Piece(kind=PieceKind.ADDED, text=new))
        same = ""
    joined.append(Piece(kind=PieceKind.SAME, text=same))
    return tuple(piece for piece in joined if piece.text)
