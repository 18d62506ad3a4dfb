"""Manual revision: the human oracle of the paper."""

from annotation.questionnaires.material import AFTER, BEFORE
from annotation.questionnaires.types import HAS_EVIDENCE, Criterion, Level, Questionnaire

MANUAL_REVISION = Questionnaire(
    name="manual_revision",
    title="Manual revision",
    summary="edit the passage until the evidence supports all of it",
    does=(
        "You read passages beside the evidence that was found for them, and edit them, as little "
        "as possible, until the evidence supports every sentence."
    ),
    question="Change as little as you can, until the evidence supports every sentence.",
    template="annotation/judging/manual_revision.html",
    keys=(
        ("E", "edit the passage; Esc leaves it"),
        ("[", "previous evidence"),
        ("]", "next evidence"),
        ("G", "to the passage"),
    ),
    criteria=(
        Criterion(
            name="revision",
            targets="item",
            noun="passage",
            is_required=True,
            is_text=True,
            levels=(Level(value=1, label="revised", mark="✓", tone="yes"),),
            unset="not revised yet",
        ),
    ),
    result_criterion="revision",
    figures="annotation.results.by_questionnaire.oracle_figures",
    sides=(BEFORE, AFTER),
    needs=(HAS_EVIDENCE,),
    assumed_seconds=180,
)
