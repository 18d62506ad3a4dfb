"""Self-made hypotheses: every mask hides what the premise says, every swap is really wrong."""

import random

from pipeline.backends.compact.text.spans import mentions
from pipeline.backends.compact.training.corruption import answers_of, places_of, spoiled

PREMISE = (
    "Hart Mill was built in 1902 by Anna Berg and burnt down on 9 May 1931. "
    "Carl Lund bought the ruin for 1,200 crowns in 1946."
)
SENTENCE = "Anna Berg built Hart Mill in 1902."


def many(sentence: str = SENTENCE, **more: object) -> list:  # type: ignore[type-arg]
    return [
        h
        for seed in range(40)
        for h in spoiled(sentence, PREMISE, place=0, rng=random.Random(seed), **more)  # type: ignore[arg-type]
    ]


def test_places_are_whole_words_whatever_the_case() -> None:
    assert places_of("anna  berg", PREMISE) == ((31, 40),)
    assert places_of("190", PREMISE) == ()


def test_an_answer_may_be_written_otherwise() -> None:
    (number,) = mentions("It cost 1.2 thousand crowns.")
    assert [PREMISE[s:e] for s, e in answers_of(number, PREMISE)] == ["1,200"]


def test_each_mask_hides_what_the_premise_says() -> None:
    masked = [h for h in many() if h.mask]
    assert {h.text[slice(*h.mask)] for h in masked if h.mask} >= {"Anna Berg", "Hart Mill", "1902"}
    for h in masked:
        assert h.mask is not None
        hidden = h.text[slice(*h.mask)].lower()
        assert h.answers
        assert all(PREMISE[s:e].lower() == hidden for s, e in h.answers)


def test_each_swap_is_marked_and_is_not_the_truth() -> None:
    swapped = [h for h in many() if h.beaten_by is not None]
    assert {"Carl Lund", "1946"} <= {h.text[s:e] for h in swapped for s, e in h.wrong or ()}
    for h in swapped:
        assert h.text != SENTENCE
        ((start, end),) = h.wrong or ()
        assert h.text[:start] == SENTENCE[:start]
        assert SENTENCE.endswith(h.text[end:])
        assert h.label in {"contradiction", "unsupported"}


def test_a_stranger_is_swapped_in_only_where_the_premise_lacks_it() -> None:
    strangers = [*mentions("Ida Falk sold it."), *mentions("Carl Lund sold it.")]
    values = {
        h.text[s:e]
        for h in many(near=0, strangers=strangers)
        for s, e in h.wrong or ()
        if h.mask is None
    }
    assert "Ida Falk" in values
    assert "Carl Lund" not in values


def test_what_is_swapped_in_is_of_the_same_label_first() -> None:
    premise = "Ada Hart left Boston for Oslo and Paris with Carl Lund."
    strangers = mentions("Ida Falk met Anna Lind in Bergen, Norway.")

    def names(**more: object) -> set[str]:
        swapped = [
            h.text[s:e]
            for seed in range(40)
            for h in spoiled("Ada Hart left.", premise, place=0, rng=random.Random(seed), **more)  # type: ignore[arg-type]
            for s, e in h.wrong or ()
        ]
        return {each for each in swapped if each.istitle()}

    assert names(near=1) == {"Carl Lund"}
    assert names(near=4) == {"Carl Lund", "Boston", "Oslo", "Paris"}
    assert names(near=0, strangers=strangers) == {"Ida Falk", "Anna Lind"}


def test_a_sentence_with_nothing_to_check_gives_nothing_to_swap() -> None:
    assert not [h for h in many("So it goes.") if h.beaten_by is not None]
