"""What changed between two texts, word by word, for people to read."""

import enum
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from rapidfuzz.distance import Postfix, Prefix

# Scripts that put no space between words: there a change is shown character by character.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # fmt: skip  # noqa: E501
_LETTER = rf"(?:(?![{_UNSPACED}])\w)"
# A token is a word, a number or a single sign, with the white space before it.
_TOKEN = re.compile(
    rf"\s*(?:\d+(?:[.,:]\d+)*{_LETTER}*|[{_UNSPACED}]|{_LETTER}+(?:['’]{_LETTER}+)*|\S)|\s+"
)
# Four tokens in a row meet twice by chance only seldom.
_ANCHOR = 4
# Pairs of equal tokens that difflib may look at: about 50 ms of work.
_MOST_PAIRS = 60_000


class Kind(enum.StrEnum):
    """What became of a stretch of text."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of text that stayed, went, or came."""

    kind: Kind
    text: str


def word_diff(old: str, new: str) -> tuple[Piece, ...]:
    """How `old` became `new`: the same and removed pieces spell `old`, same and added `new`.

    A change is shown once, the removed words before the added ones. Long texts are first
    aligned at phrases that occur once in both, so the time grows with the length and not with
    its square; where a long stretch has nothing in common it is shown as replaced whole.

    >>> [f"{piece.kind}:{piece.text}" for piece in word_diff("born in 1950.", "born in 1952.")]
    ['same:born in ', 'removed:1950', 'added:1952', 'same:.']
    """
    # An edit touches little of a long text: what is alike at both ends need not be taken apart.
    # A space is a safe place to cut, as no word reaches over it.
    start = old.rfind(" ", 0, Prefix.similarity(old, new)) + 1
    old_rest, new_rest = old[start:], new[start:]
    end = Postfix.similarity(old_rest, new_rest)
    space = old_rest.find(" ", len(old_rest) - end) if end else -1
    end = len(old_rest) - space if space >= 0 else 0
    a = _tokens(old_rest[: len(old_rest) - end])
    b = _tokens(new_rest[: len(new_rest) - end])
    return _joined(
        (
            Piece(kind=Kind.SAME, text=old[:start]),
            *_compare(a, b),
            Piece(kind=Kind.SAME, text=old_rest[len(old_rest) - end :]),
        )
    )


def first_change(old: str, new: str, *, before: int = 40, length: int = 300) -> tuple[Piece, ...]:
    """The first place where two texts differ, with some of the text around it.

    `before` is how many characters of the common text lead up to it, `length` how many of
    each text are compared from there on; "…" marks what was cut. Empty when nothing differs.
    The cost does not depend on how long the change is.
    """
    if old == new:
        return ()
    start = Prefix.similarity(old, new)
    # Back to a word's beginning, so that no word is cut in two; a word of more than
    # `before` characters is.
    cut = max(start - before, 0)
    if cut:
        space = re.search(r"\s\b", old[cut:start])
        cut += space.end() if space else 0
    pieces = word_diff(old[cut : start + length], new[cut : start + length])
    shown: list[Piece] = []
    if cut:
        shown.append(Piece(kind=Kind.SAME, text="…"))
    seen = False
    for piece in pieces:
        if piece.kind is Kind.SAME and seen:
            is_end = piece is pieces[-1] and start + length >= max(len(old), len(new))
            text = piece.text if is_end else f"{piece.text}…"
            shown.append(Piece(kind=Kind.SAME, text=_clipped_end(text, before)))
            break
        seen = seen or piece.kind is not Kind.SAME
        shown.append(Piece(kind=piece.kind, text=_clipped_end(piece.text, length // 2)))
    return tuple(_joined(shown))


def excerpt(pieces: Sequence[Piece], *, around: int = 60) -> tuple[Piece, ...]:
    """The changes of a diff, each with about `around` characters of the text beside it."""
    shown: list[Piece] = []
    last = len(pieces) - 1
    for place, piece in enumerate(pieces):
        text = piece.text
        if piece.kind is Kind.SAME and len(text) > 2 * around + 20:
            head = "" if place == 0 else _clipped_end(text, around)[:-1]
            tail = "" if place == last else _clipped_start(text, around)[1:]
            text = f"{head}…{tail}"
        elif piece.kind is Kind.SAME and place == 0:
            text = _clipped_start(text, around)
        elif piece.kind is Kind.SAME and place == last:
            text = _clipped_end(text, around)
        shown.append(Piece(kind=piece.kind, text=text))
    return tuple(shown)


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
    """The text's tokens in order; an accent stays on its letter."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        joins = unicodedata.category(token[0])[0] == "M" or token[0] == "\u200d"
        if found and (joins or found[-1][-1] == "\u200d"):
            found[-1] += token
        else:
            found.append(token)
    return found


def _words(tokens: list[str]) -> list[str]:
    return [token.lstrip() for token in tokens]


def opcodes(a: list[str], b: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """How `a` becomes `b`, as difflib says it; replaced whole where that would take long."""
    if not a or not b or _pairs(a, b) > _MOST_PAIRS:
        return [("replace", 0, len(a), 0, len(b))]
    return SequenceMatcher(None, a, b, autojunk=False).get_opcodes()


def common_ends(a: Sequence[str], b: Sequence[str]) -> tuple[int, int]:
    """How long the common beginning is, and the common end of what follows it."""
    start = Prefix.similarity(a, b)
    return start, Postfix.similarity(a[start:], b[start:])


def _compare(a: list[str], b: list[str]) -> Iterator[Piece]:
    start, end = common_ends(a, b)
    last_a, last_b = len(a) - end, len(b) - end
    yield from _pieces(Kind.SAME, a[:start])
    at_a, at_b = start, start
    for anchor_a, anchor_b in _anchors(_words(a[start:last_a]), _words(b[start:last_b])):
        next_a, next_b = start + anchor_a, start + anchor_b
        if next_a < at_a or next_b < at_b:
            continue  # overlaps the anchor before it
        yield from _replaced(a[at_a:next_a], b[at_b:next_b])
        yield from _kept(a[next_a : next_a + _ANCHOR], b[next_b : next_b + _ANCHOR])
        at_a, at_b = next_a + _ANCHOR, next_b + _ANCHOR
    yield from _replaced(a[at_a:last_a], b[at_b:last_b])
    yield from _pieces(Kind.SAME, a[last_a:])


def _anchors(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """Places of phrases that occur once in `a` and once in `b`, in an order both share.

    The patience diff's idea: the longest increasing run of such places. Short texts need none.
    """
    if _pairs(a, b) <= _MOST_PAIRS:
        return []
    once_a, once_b = _single_phrases(a), _single_phrases(b)
    places = [(at, once_b[phrase]) for phrase, at in once_a.items() if phrase in once_b]
    ends: list[int] = []  # the smallest last place in b of a run of each length
    heads: list[int] = []  # which of `places` that is
    before: list[int] = []
    for number, (_, in_b) in enumerate(places):
        length = bisect_left(ends, in_b)
        before.append(heads[length - 1] if length else -1)
        ends[length:length + 1] = [in_b]  # fmt: skip
        heads[length:length + 1] = [number]  # fmt: skip
    run: list[tuple[int, int]] = []
    number = heads[-1] if heads else -1
    while number >= 0:
        run.append(places[number])
        number = before[number]
    return run[::-1]


def _single_phrases(tokens: list[str]) -> dict[tuple[str, ...], int]:
    phrases = [tuple(tokens[at : at + _ANCHOR]) for at in range(len(tokens) - _ANCHOR + 1)]
    counts = Counter(phrases)
    return {phrase: at for at, phrase in enumerate(phrases) if counts[phrase] == 1}


def _pairs(a: list[str], b: list[str]) -> int:
    """How many pairs of equal tokens there are: what difflib's time depends on."""
    counts = Counter(b)
    return sum(count * counts[token] for token, count in Counter(a).items())


def _replaced(a: list[str], b: list[str]) -> Iterator[Piece]:
    start, end = common_ends(a, b)
    yield from _pieces(Kind.SAME, a[:start])
    old, new = a[start : len(a) - end], b[start : len(b) - end]
    for tag, a1, a2, b1, b2 in opcodes(_words(old), _words(new)):
        if tag == "equal":
            yield from _kept(old[a1:a2], new[b1:b2])
        else:
            yield from _pieces(Kind.REMOVED, old[a1:a2])
            yield from _pieces(Kind.ADDED, new[b1:b2])
    yield from _pieces(Kind.SAME, a[len(a) - end :])


def _kept(old: list[str], new: list[str]) -> Iterator[Piece]:
    """The same words, maybe with other white space before some of them."""
    for was, is_now in zip(old, new, strict=True):
        if was == is_now:
            yield Piece(kind=Kind.SAME, text=was)
        else:
            word = was.lstrip()
            yield from _pieces(Kind.REMOVED, [was.removesuffix(word)])
            yield from _pieces(Kind.ADDED, [is_now.removesuffix(word)])
            yield Piece(kind=Kind.SAME, text=word)


def _pieces(kind: Kind, tokens: list[str]) -> Iterator[Piece]:
    if tokens:
        yield Piece(kind=kind, text="".join(tokens))


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Neighbours of one kind made one; white space that both sides begin with stays."""
    joined: list[Piece] = []
    same: list[str] = []
    removed: list[str] = []
    added: list[str] = []

    def close() -> None:
        old, new = "".join(removed), "".join(added)
        lead = old[: len(old) - len(old.lstrip())]
        if old and new and new.startswith(lead):
            same.append(lead)
            old, new = old[len(lead) :], new[len(lead) :]
        for kind, text in ((Kind.SAME, "".join(same)), (Kind.REMOVED, old), (Kind.ADDED, new)):
            if text:
                joined.append(Piece(kind=kind, text=text))
        for texts in (same, removed, added):
            texts.clear()

    for piece in pieces:
        if piece.kind is Kind.SAME:
            if (removed or added) and piece.text:
                close()
            same.append(piece.text)
        else:
            (removed if piece.kind is Kind.REMOVED else added).append(piece.text)
    close()
    return tuple(joined)
