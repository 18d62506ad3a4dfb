"""A small word changed or put in makes the sentence another; where it stands is marked."""

import random

from pipeline.backends.compact.training.opposites import OPPOSITES, opposed

SENTENCE = "The mill was the largest in Arvika before 1902."


def test_the_changed_word_is_marked_and_the_rest_stays() -> None:
    found = [
        h for s in range(60) for h in opposed(SENTENCE, SENTENCE, place=2, rng=random.Random(s))
    ]
    assert len(found) == 60
    assert {"smallest", "after", "was not"} <= {
        h.text[a:b] for h in found for a, b in h.wrong or ()
    }
    for h in found:
        ((start, end),) = h.wrong or ()
        assert SENTENCE.startswith(h.text[:start])
        assert SENTENCE.endswith(h.text[end:])
        assert h.text != SENTENCE
        assert h.beaten_by == 2


def test_a_word_is_put_in_only_where_the_premise_lacks_it() -> None:
    premise = "It was always, never, once, rarely, probably the first and only, and no longer is."
    found = [
        h for s in range(60) for h in opposed("It was big.", premise, place=0, rng=random.Random(s))
    ]
    assert {h.text for h in found} == {"It was not big."}


def test_a_sentence_without_such_words_gives_none() -> None:
    assert opposed("Anna Berg sang.", "", place=0, rng=random.Random(1)) == []


def test_no_word_is_its_own_opposite() -> None:
    assert all(word not in others for word, others in OPPOSITES.items())
