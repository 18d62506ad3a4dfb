"""The word diff that people read."""

import random
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.diff.words import Piece, PieceKind, excerpt, first_change, word_diff

WORDS = st.lists(
    st.sampled_from(["the", "bridge", "1934", "1932", " ", "  ", "\n", ".", "é", "大", "桥", "ר"]),
    max_size=30,
).map("".join)
ANY = WORDS | st.text(max_size=40)


def marked(pieces: tuple[Piece, ...]) -> str:
    signs = {PieceKind.SAME: "{}", PieceKind.REMOVED: "[-{}]", PieceKind.ADDED: "[+{}]"}
    return "".join(signs[piece.kind].format(piece.text) for piece in pieces)


@settings(max_examples=200)
@given(ANY, ANY)
@example("", "")
@example("👨‍👩‍👧", "👨‍👩‍👦")
def test_the_pieces_spell_both_texts_and_alternate(old: str, new: str) -> None:
    pieces = word_diff(old, new)
    for text, other in ((old, PieceKind.ADDED), (new, PieceKind.REMOVED)):
        assert "".join(piece.text for piece in pieces if piece.kind is not other) == text
    assert (old == new) == all(piece.kind is PieceKind.SAME for piece in pieces)
    assert all(piece.text for piece in pieces)
    assert all(a.kind is not b.kind for a, b in pairwise(pieces))
    changed = first_change(old, new)
    assert (old != new) == any(piece.kind is not PieceKind.SAME for piece in changed)
    assert (old != new) or changed == ()


@pytest.mark.parametrize(
    ("old", "new", "displayed"),
    [
        ("It opened in 1934.", "It opened in 1932.", "It opened in [-1934][+1932]."),
        ("on 9 May 1932 at", "on 3 June 1934 at", "on [-9 May 1932][+3 June 1934] at"),
        ("about 3,400.5 people", "about 3,401.5 people", "about [-3,400.5][+3,401.5] people"),
        ("from the 1920s on", "from the 1930s on", "from the [-1920s][+1930s] on"),
        ("He didn't go.", "He did go.", "He [-didn't][+did] go."),
        ("大桥于1934年通车。", "大桥于1932年通车。", "大桥于[-1934][+1932]年通车。"),
        ("ผู้ชาย", "ผู้หญิง", "ผู้[-ชาย][+หญิง]"),
        ("a very long way", "a long way", "a [-very ]long way"),
        ("", "All new.", "[+All new.]"),
        ("a b a b a b a c", "x b a b a b a c", "[-a][+x] b a b a b a c"),
        ("one two", "one\ntwo", "one[- ][+\n]two"),
        ("cafe\u0301 bar", "cafe bar", "[-cafe\u0301][+cafe] bar"),
    ],
)
def test_a_change_is_shown_by_whole_words(old: str, new: str, displayed: str) -> None:
    assert marked(word_diff(old, new)) == displayed


def long_text(seed: int, *, words: int = 10_000) -> list[str]:
    """Words as frequent as a language's: the n-th most frequent comes 1/n as often."""
    ranks = range(1, 4000)
    weights = [1 / rank for rank in ranks]
    return [f"w{rank}" for rank in random.Random(seed).choices(ranks, weights, k=words)]


def test_a_few_edits_in_a_long_text_are_found_one_by_one() -> None:
    old = long_text(1)
    new = [f"x{at}" if at % 700 == 699 else word for at, word in enumerate(old)]
    changed = [p for p in word_diff(" ".join(old), " ".join(new)) if p.kind is PieceKind.ADDED]
    assert [piece.text for piece in changed] == [f"x{at}" for at in range(699, 10_000, 700)]


def test_a_removed_chapter_does_not_hide_an_edit_behind_it() -> None:
    old = long_text(3)
    new = old[:3000] + old[3500:]
    new[-100] = "other"
    changes = [p for p in word_diff(" ".join(old), " ".join(new)) if p.kind is not PieceKind.SAME]
    assert sum(len(p.text.split()) for p in changes if p.kind is PieceKind.REMOVED) == 501
    assert [p.text for p in changes if p.kind is PieceKind.ADDED] == ["other"]


def test_between_distant_changes_of_huge_texts_all_is_replaced() -> None:
    old = " ".join(["word"] * 40_000)
    pieces = word_diff(f"{old} 1934 {old} end.", f"{old} 1932 {old} ends.")
    changed = [PieceKind.SAME, PieceKind.REMOVED, PieceKind.ADDED]
    assert [piece.kind for piece in pieces][:3] == changed
    assert len(pieces) < 5


def test_the_first_change_comes_with_the_words_before_it() -> None:
    old = "The bridge over the bay was a work of the port. It was opened in 1934, they say."
    new = old.replace("1934", "1932").replace("they", "some")
    displayed = "…work of the port. It was opened in [-1934][+1932], …"
    assert marked(first_change(old, new)) == displayed


def test_the_first_change_in_a_book_is_short() -> None:
    old = " ".join(long_text(4))
    new = old[:30_000] + " ".join(long_text(5))
    assert sum(len(piece.text) for piece in first_change(old, new)) < 500


def test_an_excerpt_keeps_every_change_and_cuts_a_long_rest() -> None:
    old = "word " * 100 + "1934" + " word" * 100 + " north" + " word" * 100
    pieces = excerpt(word_diff(old, old.replace("1934", "1932").replace("north", "south")))
    displayed = marked(pieces)
    assert "[-1934][+1932]" in displayed
    assert "[-north][+south]" in displayed
    assert (displayed[0], displayed[-1], displayed.count("…")) == ("…", "…", 3)
    assert len(displayed) < 400
    pieces = word_diff("It opened in 1934.", "It opened in 1932.")
    assert excerpt(pieces) == pieces
