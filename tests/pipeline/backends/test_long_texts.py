"""A long text in windows: none of it is lost, each fits, titles stay on top."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from pipeline.backends.transformers_models import token_windows as windows


def count(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


SENTENCES = [f"Sentence number {n} says this." for n in range(20)]


@pytest.mark.parametrize("most", [5, 7, 10, 23, 60])
def test_every_sentence_is_whole_in_some_window_that_fits_and_windows_overlap(most: int) -> None:
    parts = windows(" ".join(SENTENCES), max_tokens=most, count=count)
    assert all(size <= most for size in count(parts))
    assert all(any(sentence in window for window in parts) for sentence in SENTENCES)
    for before, after in pairwise(parts if most >= 20 else []):
        assert before[before.rindex("Sentence") :] in after


def test_a_title_is_over_every_window() -> None:
    parts = windows("River Ribble\n" + " ".join(SENTENCES), max_tokens=22, count=count)
    assert len(parts) > 2
    assert all(window.startswith("River Ribble\nSentence") for window in parts)
    # A long first line is no title.
    text = " ".join(SENTENCES[:4]) + "\n" + " ".join(SENTENCES[4:])
    assert SENTENCES[0] not in windows(text, max_tokens=30, count=count)[-1]


@pytest.mark.parametrize("text", ["word " * 100, "a\n" * 50, "no end " * 40 + ". " * 30])
def test_a_text_without_sentences_is_cut_between_words(text: str) -> None:
    parts = windows(text, max_tokens=9, count=count)
    assert all(size <= 9 for size in count(parts))
    assert set(" ".join(parts).split()) == set(text.split())
    assert sum(count(parts)) >= len(text.split())


def test_a_word_longer_than_the_room_is_cut_too() -> None:
    parts = windows("x" * 50, max_tokens=8, count=lambda texts: list(map(len, texts)))
    assert max(map(len, parts)) <= 8
    assert sum(map(len, parts)) >= 50


def test_a_text_that_fits_or_is_blank_stays_unchanged() -> None:
    text = "A title\n\n  One.  Two. "
    assert windows(text, max_tokens=4, count=count) == [text]
    assert windows(" \n " * 9, max_tokens=2, count=lambda texts: [9] * len(texts)) == [" \n " * 9]
