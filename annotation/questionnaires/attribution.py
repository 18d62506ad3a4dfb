"""Attribution: the paper's appendix C.2 and Figure 11, sentence by sentence."""

from annotation.questionnaires.types import Criterion, Questionnaire

ATTRIBUTION = Questionnaire(
    name="attribution",
    title="Attribution",
    question="Is everything each sentence says supported by at least one piece of evidence?",
    template="annotation/attribution/task.html",
    guidelines="annotation/attribution/_guidelines.html",
    criteria=(
        Criterion(
            name="attributable",
            targets="sentences",
            noun="sentence",
            is_required=True,
            yes="fully attributable",
            no="not attributable",
            unset="not judged",
        ),
        # The paper asks for it as a help to the rater; an item is complete without it.
        Criterion(
            name="useful",
            targets="evidence",
            noun="evidence",
            is_required=False,
            yes="useful",
            no="not useful",
            unset="not rated",
        ),
    ),
    counted="attributable",
)
