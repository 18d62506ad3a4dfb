"""Joined sentences: of two halves that are supported, or of one that is not, marked as such."""

import random

import pytest

from pipeline.backends.compact.training.groups import Hypothesis
from pipeline.backends.compact.training.sentence_joins import MOST_WORDS, joined

PREMISE = "Hart Mill was built in 1902. Anna Berg bought it in 1931."
BUILT = Hypothesis(text="Hart Mill was built in 1902.", label="entailment", wrong=(), vote=0.7)
BOUGHT = Hypothesis(text="Anna Berg bought it.", label="supported", wrong=())
STRANGER = "Carl Lund painted Fanø church in 1846."
SEEDS = range(25)


def made(part: list[Hypothesis], stranger: str = "") -> list[list[Hypothesis]]:
    return [joined(part, stranger, PREMISE, random.Random(seed)) for seed in SEEDS]


def test_two_supported_sentences_make_a_supported_one() -> None:
    for found in made([BUILT, BOUGHT]):
        [both] = found
        assert both.text.count("Hart Mill was built in 1902") == 1
        assert both.text.count("Anna Berg bought it") == 1
        # People said of one half only that it is supported, so no more is known of both.
        assert (both.label, both.wrong, both.missing) == ("supported", (), ())
    # Either half may stand first, and they are joined in several ways.
    texts = {both.text for [both] in made([BUILT, BOUGHT])}
    assert {text.startswith("Hart Mill") for text in texts} == {True, False}
    assert len(texts) > 4


def test_what_is_entailed_in_both_halves_is_entailed() -> None:
    other = Hypothesis(text=BOUGHT.text, label="entailment", wrong=())
    assert {both.label for [both] in made([BUILT, other])} == {"entailment"}


def test_the_half_that_the_premise_does_not_say_is_where_it_says() -> None:
    beginnings = set()
    for found in made([BOUGHT, BUILT], STRANGER):
        *_, half = found
        assert half.label == "unsupported"
        assert half.wrong is None
        assert half.beaten_by is not None
        sound = [BOUGHT, BUILT][half.beaten_by]
        assert sound.text.rstrip(".") in half.text
        words = [half.text[start:end] for start, end in half.missing]
        assert words == ["Carl", "Lund", "painted", "Fanø", "church", "1846"]
        beginnings.add(half.text.startswith("Carl"))
    assert beginnings == {True, False}


def test_a_stranger_whose_words_are_all_there_is_not_joined() -> None:
    assert made([BUILT], "Anna Berg built it.") == [[]] * len(SEEDS)


@pytest.mark.parametrize(
    "unsound",
    [
        Hypothesis(text="It burnt.", label="contradiction", wrong=((0, 2),)),
        Hypothesis(text="It burnt.", label="unsupported"),
        Hypothesis(text="Hart Mill was built in 1931.", label="entailment", wrong=(), beaten_by=0),
        Hypothesis(text=BUILT.text, mask=(23, 27), answers=((23, 27),)),
    ],
)
def test_only_supported_sentences_are_joined(unsound: Hypothesis) -> None:
    assert made([unsound], STRANGER) == [[]] * len(SEEDS)


def test_a_sentence_is_not_joined_to_itself_nor_beyond_the_most_words() -> None:
    assert made([BUILT, BUILT]) == [[]] * len(SEEDS)
    long = Hypothesis(text="So it was. " * (MOST_WORDS // 3), label="entailment", wrong=())
    assert made([long, BUILT], STRANGER + " He was old." * 20) == [[]] * len(SEEDS)
