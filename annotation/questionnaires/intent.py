"""Intent similarity of two passages: appendix C.3 and Figure 12 of the paper."""

from annotation.questionnaires.material import PAIR, pair
from annotation.questionnaires.types import Criterion, Level, Need, Questionnaire

INTENT = Questionnaire(
    name="intent",
    title="Intent similarity",
    summary="compare the two texts of a passage and say whether they mean to tell the same",
    does=(
        "You read two passages side by side, and decide how similar they are in what they mean to "
        "tell."
    ),
    question="How similar is the intent of the two passages? Ignore differences in details.",
    template="annotation/judging/intent.html",
    keys=(
        ("1", "very similar"),
        ("2", "somewhat similar"),
        ("3", "not at all similar"),
        ("0", "take the answer back"),
        ("D", "show what differs, word by word; again: hide it"),
        ("S", "scroll the two together; again: each by itself"),
        ("G", "to the question"),
    ),
    criteria=(
        Criterion(
            name="intent",
            targets="item",
            noun="pair",
            is_required=True,
            is_ordinal=True,
            levels=(
                Level(
                    value=0,
                    label="not at all similar",
                    meaning="They are about different things.",
                    mark="✕",
                    tone="no",
                ),
                Level(
                    value=1,
                    label="somewhat similar",
                    meaning=(
                        "They are about the same thing, but one tells clearly more of it, "
                        "other sides of it, or tells it in another way."
                    ),
                    mark="◐",
                    tone="partly",
                ),
                Level(
                    value=2,
                    label="very similar",
                    meaning=(
                        "They are about the same thing, as much of it and in the same way. "
                        "Facts in them may differ."
                    ),
                    mark="✓",
                    tone="yes",
                ),
            ),
            unset="not compared",
        ),
    ),
    counted="intent",
    figures="annotation.results.by_questionnaire.intent_figures",
    sides=(PAIR,),
    make=pair,
    needs=(
        Need(
            is_met=lambda item: item["text"].split() != item["second_text"].split(),
            refusal=(
                "No chosen revision differs from its original, so every pair would show one text "
                "twice. Choose a run that changed something."
            ),
        ),
    ),
    assumed_seconds=45,
)
