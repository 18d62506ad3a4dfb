"""HAGRID's Tables 2 and 3 of a few answers whose figures can be counted by hand."""

from typing import Any

import pytest

from pipeline.metrics.answer_statistics import (
    LabelledAnswer,
    LabelledSentence,
    counts_of,
    judged_of,
    means_of,
)
from pipeline.metrics.inference import share_estimate
from tests.support.estimates import ends, known


def make_answer(question: str, text: str, **values: Any) -> LabelledAnswer:
    defaults = {"quotes": ("The river runs west.", "It is long."), "cited": (), "labels": {}}
    return LabelledAnswer(
        **{"id": f"{question}-1", "question": question, "text": text, **defaults, **values}
    )


def labels(informative: int, attributable: int | None) -> dict[str, int | None]:
    return {"informative": informative, "attributable": attributable}


WEST = LabelledSentence(text="It runs west [1][1].", labels=labels(1, 1))
FAR = LabelledSentence(text="Far [2].", labels=labels(0, 0))
LONG = LabelledSentence(text="It is long [2].", labels=labels(1, 1))
OF_TWO = {"cited": (0, 1), "quotes": ("It runs west.", "Far away."), "sentences": (WEST, FAR)}
ANSWERS = [
    make_answer("a", f"{WEST.text} {FAR.text}", labels=labels(1, 0), **OF_TWO),
    make_answer("a", "Nobody knows.", labels=labels(0, None)),
    make_answer("b", LONG.text, cited=(1,), labels=labels(1, 1), sentences=(LONG,)),
]


def test_counts_are_of_every_mention_and_means_over_all_with_questions_as_units() -> None:
    expected = {"questions": 2, "quotes": 4, "answers": 3, "sentences": 3, "citations": 4}
    assert counts_of(ANSWERS) == expected
    means = {name: each and (each.value, each.n) for name, each in means_of(ANSWERS).items()}
    assert means == {
        "quotes_per_question": (2, 2),
        "answers_per_question": (1.5, 2),
        "sentences_per_answer": (1.5, 2),
        "citations_per_answer": (pytest.approx(4 / 3), 2),
        "cited_quotes_per_answer": (1, 2),
        "words_per_answer": (pytest.approx((4 + 2 + 3) / 3), 2),
        "words_per_sentence": (pytest.approx((3 + 1 + 3) / 3), 2),
        "words_per_quote": (pytest.approx((3 + 2 + 4 + 3) / 4), 2),
        "coverage": (1, 2),
        "density": (pytest.approx(((9 + 1) / 4 + 3) / 2), 2),
    }


def test_labels_are_counted_where_somebody_judged() -> None:
    rows = {(each.label, each.level): each for each in judged_of(ANSWERS)}
    assert {key: (each.total, each.yes, each.no) for key, each in rows.items()} == {
        ("informative", "answers"): (3, 2, 1),
        ("informative", "sentences"): (3, 2, 1),
        ("attributable", "answers"): (2, 1, 1),
        ("attributable", "sentences"): (3, 2, 1),
    }
    share = known(rows["informative", "answers"].share)
    assert (share.value, share.n) == (pytest.approx(2 / 3), 2)
    # One answer a question.
    assert rows["attributable", "answers"].share == share_estimate(1, 2)


def test_intervals_are_over_questions_and_exist_for_one_label_too() -> None:
    def widths(copies: int) -> float:
        answers = [
            make_answer(str(number), "x", labels=labels(number % 2, None))
            for number in range(40)
            for _ in range(copies)
        ]
        low, high = ends(next(each.share for each in judged_of(answers) if each.level == "answers"))
        return high - low

    assert widths(5) == pytest.approx(widths(1), rel=0.1)
    answers = [make_answer(str(n // 2), "x", labels={"informative": 1}) for n in range(20)]
    share = known(judged_of(answers)[0].share)
    assert (share.value, share.n, share.high) == (1, 10, 1)
    assert ends(share)[0] < 0.8


def test_nothing_to_count_is_none_and_never_0() -> None:
    assert set(means_of([]).values()) == {None}
    assert [each.share for each in judged_of([])] == [None] * 4
    bare = means_of([make_answer("a", "x", quotes=())])
    assert (bare["coverage"], bare["words_per_quote"], bare["words_per_sentence"]) == (None,) * 3


def test_without_the_texts_of_quotes_that_nothing_cites_all_figures_are_the_same() -> None:
    lean = [each.lean for each in ANSWERS]
    texts = [("It runs west.", "Far away."), ("", ""), ("", "It is long.")]
    assert [each.quotes for each in lean] == texts
    assert counts_of(lean) == counts_of(ANSWERS)
    assert means_of(lean) == means_of(ANSWERS)
    assert [each.copied for each in lean] == [each.copied for each in ANSWERS]
