"""Votes and doubts that keep the reader from learning which file a pair is from."""

import pytest

from pipeline.backends.compact.training.groups import Group, Hypothesis, absent, without
from pipeline.backends.compact.training.sources import _balance

PREMISE = "The mill was built in 1902. It burnt down in 1931."


def test_each_label_has_half_of_the_votes() -> None:
    rows = {
        "a": [Hypothesis(text=str(i), label="supported") for i in range(9)],
        "b": [Hypothesis(text="x", label="unsupported")],
    }
    _balance(rows)
    assert sum(h.vote for h in rows["a"]) == pytest.approx(sum(h.vote for h in rows["b"]))
    assert sum(h.vote for each in rows.values() for h in each) == pytest.approx(10)


def test_a_file_with_one_label_keeps_its_votes() -> None:
    rows = {"a": [Hypothesis(text="x", label="supported")]}
    _balance(rows)
    assert rows["a"][0].vote == 1.0


def test_words_that_went_with_the_sentence_are_doubted() -> None:
    text = "The mill was built in 1902."
    group = Group(
        premise=PREMISE, source="made",
        hypotheses=(Hypothesis(text=text, label="entailment", vote=3.0),),
    )  # fmt: skip
    (left,) = without(group, 0, 27).hypotheses
    assert {text[s:e] for s, e in left.missing} == {"mill", "built", "1902"}
    assert (left.label, left.vote) == ("neutral", 1.0)
    assert absent("It burnt down.", PREMISE) == ()
