"""How much of a sentence the evidence contains."""

import pytest

from pipeline.backends.compact.entailment.word_features import (
    FEATURES,
    shares_of_windows,
    without_citations,
    word_features,
)

MILL = "Hart Mill was built by Otto Hart in 1852. It has 12 windows. Corn was ground there."
SEVERN = "The River Severn is 354 kilometres long."


def covered(premise: str, hypothesis: str) -> dict[str, float]:
    return dict(zip(FEATURES, word_features(premise, hypothesis), strict=True))


def test_a_sentence_of_the_evidence_misses_nothing() -> None:
    features = covered(MILL, "Hart Mill was built by Otto Hart in 1852.")
    for name, value in features.items():
        is_against = name.startswith("missing_") or name in ("negated", "other_subject")
        assert value == pytest.approx(0.0 if is_against else 1.0), name


def test_words_of_several_sentences_are_together_in_none() -> None:
    features = covered(MILL, "Otto Hart ground corn.")
    assert features["whole"] == features["near"] == features["two"] == pytest.approx(1.0)
    assert features["one"] < 1
    far = covered("Otto Hart came. " + "It rained. " * 5 + "Corn was ground.", "Hart ground corn.")
    assert far["near"] < far["two"] == far["whole"] == pytest.approx(1.0)


def test_rare_words_and_the_order_of_words_count() -> None:
    rare = covered("The mill was large.", "The mill was turquoise.")["whole"]
    common = covered("The mill was turquoise.", "The mill was large and turquoise.")["whole"]
    assert rare < common
    premise = "Otto Hart hired Jane Coe."
    right = covered(premise, "Otto Hart hired Coe.")
    wrong = covered(premise, "Coe hired Otto Hart.")
    assert wrong["whole"] == right["whole"]
    assert wrong["order"] < right["order"]
    assert wrong["pairs"] < right["pairs"]


def test_numbers_and_names_are_counted_in_any_form() -> None:
    premise = "It cost 1.2 million dollars in May 1990."
    features = covered(premise, "It cost 1,200,000 in 1990 and 7.")
    assert features["missing_numbers"] == 1
    assert features["numbers"] == pytest.approx(2 / 3)
    assert covered(MILL, "Jane Coe and Otto Hart built it.")["missing_names"] == 1


@pytest.mark.parametrize(
    ("premise", "hypothesis", "feature", "value"),
    [
        (MILL, "Hart Mill was not built by Otto Hart.", "negated", 1),
        (MILL, "Hart Mill was built by Otto Hart.", "negated", 0),
        (SEVERN, "The Thames is 354 kilometres long.", "other_subject", 1),
        (SEVERN, "The Severn is 354 kilometres long.", "other_subject", 0),
        ("It is so.", "It is.", "whole", 1),  # small words, without others
    ],
)
def test_single_features(premise: str, hypothesis: str, feature: str, value: float) -> None:
    assert covered(premise, hypothesis)[feature] == pytest.approx(value)


def test_each_window_has_the_share_that_it_holds() -> None:
    second = MILL.index("It has")
    windows = [(0, second), (second, len(MILL)), (0, len(MILL))]
    shares = shares_of_windows(MILL, "Hart Mill has 12 windows.", windows)
    assert all(0 < share < 1 for share in shares[:2])
    assert shares[0] + shares[1] == pytest.approx(shares[2]) == pytest.approx(1.0)


def test_citations_go_with_the_space_before_them() -> None:
    assert without_citations("It was ground [1][2], and sold [3].") == "It was ground, and sold."
    assert without_citations("It  is.") == "It  is."
