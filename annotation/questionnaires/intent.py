"""Intent similarity: the paper's appendix C.3 and Figure 12, two passages side by side."""

from annotation.questionnaires.making import PAIR, pair
from annotation.questionnaires.types import Criterion, Level, Questionnaire

INTENT = Questionnaire(
    name="intent",
    title="Intent similarity",
    summary="compare the two texts of a passage and say whether they mean to tell the same",
    question="How alike is what the two passages set out to tell? Ignore differences in details.",
    template="annotation/judging/intent.html",
    guidelines="intent.md",
    keys=(
        ("1", "not at all similar"),
        ("2", "somewhat similar"),
        ("3", "very similar"),
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
                    meaning="They are about the same thing, but one tells clearly more of it, "
                    "other sides of it, or tells it in another way.",
                    mark="◐",
                    tone="partly",
                ),
                Level(
                    value=2,
                    label="very similar",
                    meaning="They are about the same thing, as much of it and in the same way. "
                    "Facts in them may differ.",
                    mark="✓",
                    tone="yes",
                ),
            ),
            unset="not compared",
        ),
    ),
    counted="intent",
    figures="annotation.figures.intent_figures",
    sides=(PAIR,),
    make=pair,
)
