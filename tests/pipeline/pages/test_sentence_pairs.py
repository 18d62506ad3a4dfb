"""Sentences beside what became of them, and their marks."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.diff.words import PieceKind, word_diff
from pipeline.engine.auto_ais import SentenceScore
from pipeline.pages.sentence_pairs import (
    Mark,
    MarkedSentence,
    diff_by_sentence,
    mark_sentences,
    pair_sentences,
)

ALL = ["Ann dug the old well.", "It is nine ells deep.", "Bees live in its wall.", "Nobody drinks."]
EDITED = ALL[1].replace("nine", "seven")
ADDED = "A fence surrounds everything nearby?"
WHOLE = ["Ann dug the old well and bees live in its north wall."]
CUT = ["Ann dug the old well.", "Bees live in its north wall."]


def scores_of(sentences: list[str], **figures: object) -> tuple[SentenceScore, ...]:
    scores, at = [], 0
    for sentence in sentences:
        values = {"entailed": 0.9, "evidence": 0, "decontextualized": sentence, **figures}
        scores.append(SentenceScore(start=at, end=at + len(sentence), text=sentence, **values))
        at += len(sentence) + 1
    return tuple(scores)


def sides(
    old: list[str], new: list[str]
) -> tuple[tuple[MarkedSentence, ...], tuple[MarkedSentence, ...]]:
    x, y = " ".join(old), " ".join(new)
    pieces = word_diff(x, y)
    return (
        mark_sentences("before", x, pieces, scores_of(old), evidence_count=1),
        mark_sentences("after", y, pieces, scores_of(new), evidence_count=1),
    )


def words(sentence: MarkedSentence) -> str:
    return "".join(piece.text for piece in sentence.pieces)


def paired(old: list[str], new: list[str]) -> list[tuple[list[str], list[str]]]:
    return [
        ([words(s) for s in pair.before], [words(s) for s in pair.after])
        for pair in pair_sentences(*sides(old, new))
    ]


def one(**figures: object) -> MarkedSentence:
    text = "It is nine ells deep."
    scores = scores_of([text], **figures)
    (marked,) = mark_sentences("after", text, word_diff(text, text), scores, evidence_count=2)
    return marked


@pytest.mark.parametrize(
    ("figures", "mark"),
    [
        ({"entailed": 0.5}, Mark.ATTRIBUTED),
        ({"entailed": 0.49}, Mark.NOT_ATTRIBUTED),
        ({"entailed": 0.1, "contradicted": 0.5}, Mark.CONTRADICTED),
        ({"entailed": 0.1, "contradicted": 0.49}, Mark.NOT_ATTRIBUTED),
        ({"entailed": 0.9, "contradicted": 0.8}, Mark.ATTRIBUTED),
        ({"entailed": None}, Mark.NOT_SCORED),
    ],
)
def test_the_score_decides_the_mark(figures: dict[str, float], mark: Mark) -> None:
    assert one(**figures).mark is mark


def test_every_mark_has_an_icon_and_a_word_of_its_own() -> None:
    assert len({mark.icon for mark in Mark}) == len(Mark)
    assert len({mark.word for mark in Mark}) == len(Mark)


@pytest.mark.parametrize(
    ("figures", "evidence", "contradicted_by"),
    [
        ({"evidence": 1, "contradicted": 0.7, "contradicted_by": 0}, 2, 1),
        ({"evidence": 1, "contradicted": 0.2, "contradicted_by": 0}, 2, None),
        ({"evidence": -1}, None, None),
        ({"evidence": 2}, None, None),
        ({"evidence": 99}, None, None),
    ],
)
def test_evidence_of_the_report_is_numbered_from_1(
    figures: dict[str, float], evidence: int | None, contradicted_by: int | None
) -> None:
    sentence = one(**figures)
    assert (sentence.evidence, sentence.contradicted_by) == (evidence, contradicted_by)


def test_a_sentence_read_otherwise_reports_how() -> None:
    assert one(decontextualized="The well is nine ells deep.").read_as.startswith("The well")
    assert one().read_as == ""


def test_a_text_without_scores_is_one_sentence_unless_empty() -> None:
    text = "Two. Three."
    (sentence,) = mark_sentences("before", text, word_diff(text, text), (), evidence_count=1)
    assert (words(sentence), sentence.mark) == (text, Mark.NOT_SCORED)
    assert mark_sentences("before", "", (), (), evidence_count=0) == ()


def test_each_side_shows_only_its_own_words() -> None:
    before, after = sides(["Ann dug it in 1901."], ["Ann dug it in 1907."])
    assert [piece.kind for piece in before[0].pieces] == ["same", "removed", "same"]
    assert words(before[0]) == "Ann dug it in 1901."
    assert words(after[0]) == "Ann dug it in 1907."


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        (ALL[:2], ALL[:2], [(ALL[:1], ALL[:1]), (ALL[1:2], ALL[1:2])]),
        (ALL[:2], [ALL[0], EDITED], [(ALL[:1], ALL[:1]), (ALL[1:2], [EDITED])]),
        (ALL[:3], [ALL[0], ALL[2]], [(ALL[:1], ALL[:1]), (ALL[1:2], []), (ALL[2:3], ALL[2:3])]),
        (ALL[:2], [ALL[0], ADDED, ALL[1]], [(ALL[:1],) * 2, ([], [ADDED]), (ALL[1:2],) * 2]),
        (WHOLE, CUT, [(WHOLE, CUT)]),
        (["One went by"], ["Two stayed there"], [(["One went by"], ["Two stayed there"])]),
    ],
    ids=["unchanged", "edited", "removed", "added", "cut in two", "no common word"],
)
def test_each_sentence_is_next_to_what_became_of_it(
    old: list[str], new: list[str], pairs: list[tuple[list[str], list[str]]]
) -> None:
    assert paired(old, new) == pairs


SENTENCES = st.lists(
    st.sampled_from([*ALL, "Ann dug.", "Bees! Bees!", "桥。", "¿Qué?"]), max_size=6
)


@settings(max_examples=100)
@given(SENTENCES, SENTENCES)
def test_no_sentence_is_lost_or_reported_twice(old: list[str], new: list[str]) -> None:
    before, after = sides(old, new)
    pairs = pair_sentences(before, after)
    assert [s for pair in pairs for s in pair.before] == list(before)
    assert [s for pair in pairs for s in pair.after] == list(after)
    assert " ".join(words(s) for s in before) == " ".join(old)


@settings(max_examples=50)
@given(st.text(max_size=40), st.lists(st.integers(-5, 50), max_size=5))
def test_offsets_that_make_no_sense_lose_no_word(text: str, starts: list[int]) -> None:
    scores = tuple(
        SentenceScore(start=start, end=start, text="", decontextualized="", entailed=0.1)
        for start in starts
    )
    marked = mark_sentences("before", text, word_diff(text, ""), scores, evidence_count=0)
    reported = "".join(words(sentence) for sentence in marked)
    assert "".join(reported.split()) == "".join(text.split())


def test_only_a_contradicted_sentence_has_a_reason() -> None:
    score = SentenceScore(
        start=0, end=4, text="A b.", decontextualized="A b.", entailed=0.1, evidence=0,
        contradicted=0.7, contradicted_by=0, reason="The passage says b, the evidence says c.",
    )  # fmt: skip
    diff = word_diff("A b.", "")
    [wrong] = mark_sentences("before", "A b.", diff, [score], evidence_count=1)
    assert wrong.reason == score.reason
    unsure = replace(score, contradicted=0.3)
    [marked] = mark_sentences("before", "A b.", diff, [unsure], evidence_count=1)
    assert not marked.reason


def test_a_pair_is_the_same_only_with_the_same_words_and_mark() -> None:
    new = [ALL[0], EDITED, *ALL[2:]]
    assert [pair.is_same for pair in pair_sentences(*sides(ALL, new))] == [True, False, True, True]


def unified(old: list[str], new: list[str]) -> list[str]:
    """Each sentence of y with what was removed in brackets and what was added in braces."""
    signs = {PieceKind.REMOVED: "[{}]", PieceKind.ADDED: "{{{}}}", PieceKind.SAME: "{}"}
    text = " ".join(new)
    return [
        "".join(signs[piece.kind].format(piece.text) for piece in stretch)
        for stretch in diff_by_sentence(word_diff(" ".join(old), text), text, scores_of(new))
    ]


def test_a_diff_in_sentences_keeps_what_was_removed_where_it_stood() -> None:
    old = ["It opened in 1902.", "It is tall.", "Nobody knows."]
    changed = ["It opened in 1904.", *old[1:]]
    assert unified(old, changed) == ["It opened in [1902]{1904}.", *old[1:]]
    assert unified(old, ["It opened in 1902.", "Everybody knows."])[0] == "It opened in 1902."
    assert "Nobody" in unified(old, ["It opened in 1902.", "It is tall."])[-1]


@given(
    st.lists(st.text("abc .", min_size=1).filter(str.strip), max_size=5),
    st.lists(st.text("abc .", min_size=1).filter(str.strip), min_size=1, max_size=5),
)
@settings(max_examples=50)
def test_a_diff_in_sentences_loses_no_word(old: list[str], new: list[str]) -> None:
    x, y = " ".join(old), " ".join(new)
    pieces = word_diff(x, y)
    stretches = diff_by_sentence(pieces, y, scores_of(new))
    for gone, text in ((PieceKind.REMOVED, y), (PieceKind.ADDED, x)):
        stored = [each.text for stretch in stretches for each in stretch if each.kind is not gone]
        assert "".join("".join(stored).split()) == "".join(text.split())
