"""Intent similarity of two passages: appendix C.3 and Figure 12 of the paper."""

from annotation.questionnaires.material import PAIR, pair
from annotation.questionnaires.types import Criterion, Level, Need, Questionnaire

INTENT = Questionnaire(
    name="intent",
    title="Intent similarity",
    summary="do original and revision convey the same intent?",
    does="You read two passages side by side, and decide how similar their intent is.",
    question=(
        "Given the same context, how similar is the intent expressed by Passage A and Passage B? "
        "Please ignore any differences in details."
    ),
    template="annotation/judging/intent.html",
    keys=(
        ("1", "not at all similar"),
        ("2", "somewhat similar"),
        ("3", "very similar"),
        ("0", "take the answer back"),
        ("G", "to the question"),
    ),
    criteria=(
        Criterion(
            name="intent",
            targets="item",
            noun="pair",
            is_required=True,
            is_ordinal=True,
            lowest_first=True,
            levels=(
                Level(
                    value=0,
                    label="not at all similar",
                    meaning="Passage A is about a significantly different topic than Passage B.",
                ),
                Level(
                    value=1,
                    label="somewhat similar",
                    meaning=(
                        "Passage A is about the same topic as Passage B, but differs substantially "
                        "in level of detail or style of presentation."
                    ),
                ),
                Level(
                    value=2,
                    label="very similar",
                    meaning=(
                        "Passage A is about the same topic as Passage B, with a similar level of "
                        "detail and style of presentation. They may differ in factual details."
                    ),
                ),
            ),
            unset="not compared",
        ),
    ),
    result_criterion="intent",
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
