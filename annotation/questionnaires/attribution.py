"""Attribution: the paper's appendix C.2 and Figure 11, sentence by sentence."""

from annotation.questionnaires.types import Criterion, Level, Questionnaire, yes_or_no

ATTRIBUTION = Questionnaire(
    name="attribution",
    title="Attribution",
    summary="mark each sentence as supported by the evidence or not",
    question="Is everything each sentence says supported by at least one piece of evidence?",
    template="annotation/attribution/task.html",
    guidelines="attribution.md",
    keys=(
        ("↓ ↑ J K", "next, previous sentence"),
        ("1", "fully attributable"),
        ("2", "not attributable"),
        ("0", "not judged: take the answer back"),
        ("Space", "what a click does: attributable, not, not judged"),
        ("G", "next sentence that is not judged"),
        ("[ ]", "previous, next evidence"),
        ("U N", "evidence useful, not useful; again: take it back"),
    ),
    criteria=(
        Criterion(
            name="attributable",
            targets="sentences",
            noun="sentence",
            is_required=True,
            levels=yes_or_no("fully attributable", "not attributable"),
            unset="not judged",
        ),
        # The paper asks for it as a help to the rater; an item is complete without it.
        Criterion(
            name="useful",
            targets="evidence",
            noun="evidence",
            is_required=False,
            levels=(
                Level(value=0, label="not useful", mark="▽"),
                Level(value=1, label="useful", mark="▲", tone="yes"),
            ),
            unset="not rated",
        ),
    ),
    counted="attributable",
)
