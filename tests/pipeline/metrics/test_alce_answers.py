"""ALCE's figures of what an answer says: EM recall, QAMPARI's lists, ROUGE-Lsum."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics.answer_recall import exact_recall, list_scores, read_answer_scores
from pipeline.metrics.rouge import rouge_lsum


@pytest.mark.parametrize(
    ("output", "answers", "strict", "corrected"),
    [
        ("It was Ada Lee.", [["A. Lee", "Ada Lee"]], 1.0, 1.0),
        ("The Sleeve.", [["Lee"]], 1.0, 0.0),
        ("Nobody.", [["The"]], 1.0, 0.0),
        ("In 1990, by Ada.", [["1990"], ["1991"]], 0.5, 0.5),
        ("", [["1990"]], 0.0, 0.0),
        ("Anything.", [[]], 0.0, 0.0),
        ("Anything.", [], None, None),
    ],
)
def test_em_recall_by_hand(
    output: str, answers: list[list[str]], strict: float | None, corrected: float | None
) -> None:
    assert exact_recall(output, answers, strict=True) == strict
    assert exact_recall(output, answers, strict=False) == corrected


def test_what_a_model_read_is_compared_with_the_best_answer() -> None:
    answers = [["Lee", "Ada B. Lee"], ["The"], []]
    strict, corrected = (
        read_answer_scores(["ada lee", "", "x"], answers, strict=each) for each in (True, False)
    )
    assert strict == {"QA-EM": 0.5, "QA-F1": pytest.approx((0.8 + 1) / 2), "QA-Hit": 0.0}
    assert corrected == {"QA-EM": 0.0, "QA-F1": pytest.approx(0.4), "QA-Hit": 0.0}
    assert read_answer_scores(["x"], [[]], strict=True) == {}


def test_the_five_best_of_a_long_list_are_enough() -> None:
    answers = [[f"a{n}"] for n in range(10)]
    assert list_scores("a0, a1, a2, a3, a4, b.", answers, strict=True) == {
        "num_preds": 6,
        "qampari_prec": 5 / 6,
        "qampari_rec": 0.5,
        "qampari_rec_top5": 1.0,
        "qampari_f1": pytest.approx(2 * (5 / 6) * 0.5 / (5 / 6 + 0.5)),
        "qampari_f1_top5": pytest.approx(2 * (5 / 6) / (5 / 6 + 1)),
    }


def test_a_repeated_answer_and_an_empty_list_count_only_in_the_reference() -> None:
    def figures(output: str, *, strict: bool) -> tuple[float | None, ...]:
        scores = list_scores(output, [["Go"]], strict=strict)
        return tuple(scores[f"qampari_{name}"] for name in ("prec", "rec", "f1"))

    assert figures("Go, go, Hex", strict=True)[0] == 2 / 3
    assert figures("Go, go, Hex", strict=False)[0] == 1 / 2
    assert figures(" ,.", strict=True) == (0.0, 0.0, 0.0)
    assert figures(" ,.", strict=False) == (None, 0.0, 0.0)
    assert list_scores("Go", [], strict=True)["qampari_rec"] is None


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        (["the cat sat"], ["the cat sat"], 1.0),
        (["the cat sat"], ["sat cat the"], 1 / 3),
        # Of "the cat sat on the mat" the two sentences share "the cat" and "the mat": 4 of 6 words.
        (["the cat ran", "the mat burnt"], ["the cat sat on the mat"], 2 * 4 / 12),
        # "the" stands once in the text, so it counts once for both sentences.
        (["the end"], ["the end", "the end"], 2 * 2 / 6),
        (["running dogs"], ["dog runs"], 1 / 2),
        ([], ["a word"], 0.0),
        (["a word"], ["!"], None),
    ],
)
def test_rouge_lsum_by_hand(text: list[str], reference: list[str], expected: float | None) -> None:
    assert rouge_lsum(text, reference) == (None if expected is None else pytest.approx(expected))


TEXTS = st.lists(
    st.lists(st.sampled_from(["a", "bee", "cats", "dogs"]), max_size=5).map(" ".join), max_size=3
)


@given(TEXTS, TEXTS)
def test_rouge_is_a_share_and_whole_of_itself(text: list[str], reference: list[str]) -> None:
    result = rouge_lsum(text, reference)
    assert result is None or 0 <= result <= 1
    assert rouge_lsum(text, text) == (1.0 if any(text) else None)


def test_texts_too_long_have_no_rouge() -> None:
    long = ["word " * 6_000]
    assert rouge_lsum(long, long) is None
    assert rouge_lsum(long, ["word"]) is not None
