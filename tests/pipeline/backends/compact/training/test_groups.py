"""Places hold when texts are put around a group; answers go when their sentence goes."""

from pipeline.backends.compact.training.groups import Group, Hypothesis, surrounded, without

PREMISE = "The mill was built in 1902. It burnt down in 1931."
GROUP = Group(
    premise=PREMISE,
    hypotheses=(
        Hypothesis(text="The mill is from 1902.", label="entailment", wrong=()),
        Hypothesis(text="The mill is from 1902.", mask=(17, 21), answers=((22, 26),)),
        Hypothesis(text="The mill is from 1931.", label="contradiction", beaten_by=0),
        Hypothesis(text="When was it built?", mask=(18, 18), answers=((22, 26),), relevant=True),
    ),
    source="made",
)


def test_answers_move_with_the_premise() -> None:
    moved = surrounded(GROUP, ["Hart Mill", "A mill."], ["The end."])
    (answer,) = moved.hypotheses[1].answers
    assert moved.premise[slice(*answer)] == "1902"
    assert moved.premise == f"Hart Mill A mill. {PREMISE} The end."
    assert moved.premise[moved.begins :].startswith(PREMISE)


def test_without_its_sentence_nothing_is_answered_and_nothing_entailed() -> None:
    left = without(GROUP, 0, 27)
    assert left.premise == "It burnt down in 1931."
    assert [h.label for h in left.hypotheses] == ["neutral", None, None]
    assert all(h.answers == () and h.beaten_by is None for h in left.hypotheses)
    assert left.hypotheses[2].relevant is False
    assert left.hypotheses[0].wrong is None
