"""What the reader's verdicts and doubts become."""

import re

import pytest

from pipeline.backends.compact.entailment.reader_features import (
    FEATURES,
    MAX_LOG_ODDS,
    reader_features,
)
from pipeline.backends.compact.reader.results import NliProbabilities, Read

SENTENCE = "Otto Hart sold 12 mills."


def read(entailment: float, contradiction: float, *doubts: float) -> Read:
    """A reading of `SENTENCE`: one doubt for each of its five words."""
    matches = re.finditer(r"\w+", SENTENCE)
    places = [(*match.span(), doubt) for match, doubt in zip(matches, doubts, strict=True)]
    neutral = 1 - entailment - contradiction
    verdict = NliProbabilities(entailment=entailment, neutral=neutral, contradiction=contradiction)
    return Read(verdict=verdict, doubts=tuple(places))


def doubted(*reads: Read) -> dict[str, float]:
    return dict(zip(FEATURES, reader_features(SENTENCE, reads), strict=True))


def test_the_window_that_entails_most_gives_the_verdict() -> None:
    features = doubted(read(0.1, 0.8, *[0.5] * 5), read(0.7, 0.1, *[0.5] * 5))
    assert features["entailed"] == pytest.approx(0.847, abs=0.01)
    assert features["over_neutral"] == pytest.approx(1.253, abs=0.01)
    assert features["over_contradiction"] == pytest.approx(1.946, abs=0.01)


def test_the_window_that_has_most_to_say_tells_whether_it_is_refuted() -> None:
    silent, refuting = read(0.1, 0.05, *[0.5] * 5), read(0.05, 0.9, *[0.5] * 5)
    assert doubted(silent, refuting)["refuted"] == pytest.approx(2.89, abs=0.01)
    assert doubted(silent)["refuted"] < 0


def test_a_word_that_one_window_supports_is_not_doubted() -> None:
    one = read(0.5, 0.2, 0.1, 0.1, 0.1, 0.9, 0.1)
    other = read(0.5, 0.2, 0.9, 0.9, 0.9, 0.1, 0.9)
    assert doubted(one, other)["worst_doubt"] == pytest.approx(-2.197, abs=0.01)
    assert doubted(one)["worst_doubt"] == pytest.approx(2.197, abs=0.01)


def test_doubt_about_a_value_differs_from_doubt_about_other_words() -> None:
    of_value = doubted(read(0.5, 0.2, 0.1, 0.1, 0.1, 0.9, 0.1))
    of_verb = doubted(read(0.5, 0.2, 0.1, 0.1, 0.9, 0.1, 0.1))
    assert of_value["value_doubt"] > 0 > of_verb["value_doubt"]
    assert of_value["doubt"] > of_verb["doubt"], "a number tells more than a verb"


def test_certainties_stay_finite_and_words_beyond_the_longest_hypothesis_excluded() -> None:
    features = doubted(read(1.0, 0.0, *[0.0] * 5))
    assert (features["entailed"], features["worst_doubt"]) == (MAX_LOG_ODDS, -MAX_LOG_ODDS)
    assert all(abs(value) <= MAX_LOG_ODDS for value in features.values())
    cut = Read(verdict=read(0.5, 0.2, *[0.5] * 5).verdict, doubts=((0, 4, 0.2),))
    assert doubted(cut)["worst_doubt"] == pytest.approx(-1.386, abs=0.01)
    none = Read(verdict=cut.verdict, doubts=())
    assert doubted(none)["doubt"] == doubted(none)["worst_doubt"] == 0.0
