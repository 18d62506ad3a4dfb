"""Sentences of neighbouring paragraphs: about the same, and not said by this one."""

import random

from pipeline.backends.compact.training.groups import Hypothesis
from pipeline.backends.compact.training.questions import _foreign

CONTEXT = "Hart Mill was built by Anna Berg in 1902. Anna Berg sold the mill to Carl Lund."
OTHER = "In 1846 Nils Ek owned a water mill near Dalum. Hart Mill was built in 1902 by Anna Berg."
SOUND = Hypothesis(text="Hart Mill was built in 1902.", label="entailment", wrong=())


def drawn(other: str = OTHER, part: tuple[Hypothesis, ...] = (SOUND,)) -> list[list[Hypothesis]]:
    return [_foreign(other, CONTEXT, part, random.Random(seed)) for seed in range(60)]


def test_a_foreign_sentence_is_neutral_and_says_which_words_are_missing() -> None:
    some = [found for found in drawn() if found]
    assert 5 < len(some) < 55
    for neutral, *_ in some:
        assert neutral.text == "In 1846 Nils Ek owned a water mill near Dalum."
        assert (neutral.label, neutral.beaten_by) == ("neutral", None)
        words = [neutral.text[start:end] for start, end in neutral.missing]
        assert words == ["1846", "Nils", "owned", "water", "near", "Dalum"]


def test_its_masked_value_is_one_that_the_paragraph_does_not_have() -> None:
    hidden = {
        h.text[slice(*h.mask)] for found in drawn() for h in found if h.mask and not h.answers
    }
    assert hidden == {"1846", "Nils Ek", "Dalum"}
    assert not any(h.answers for found in drawn() for h in found)


def test_it_is_joined_to_a_sentence_that_the_paragraph_does_say() -> None:
    halves = [h for found in drawn() for h in found if h.beaten_by is not None]
    assert halves
    for half in halves:
        assert (half.label, half.beaten_by) == ("unsupported", 0)
        assert "Hart Mill was built in 1902" in half.text
        assert "Nils Ek" in half.text
    assert not any(h.beaten_by is not None for found in drawn(part=()) for h in found)


def test_what_the_paragraph_says_too_is_no_foreign_sentence() -> None:
    assert not any(drawn("Hart Mill was built in 1902 by Anna Berg."))


def test_short_and_long_sentences_are_left_alone() -> None:
    assert not any(drawn("Nils Ek owned Dalum."))
    assert not any(drawn("Nils Ek owned Dalum" + " and Bergby" * 40 + "."))
