"""Manual revision: the paper's human oracle, the least editing that leaves nothing unsupported."""

from annotation.questionnaires.making import AFTER, BEFORE
from annotation.questionnaires.types import Criterion, Level, Questionnaire

MANUAL_REVISION = Questionnaire(
    name="manual_revision",
    title="Manual revision",
    summary="edit each passage, as little as possible, until the evidence supports all of it",
    question="Change as little as you can, until the evidence supports every sentence.",
    template="annotation/judging/manual_revision.html",
    guidelines="manual_revision.md",
    keys=(
        ("E", "edit the passage; Esc leaves it"),
        ("D", "show what you changed, word by word; again: hide it"),
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
    counted="revision",
    figures="annotation.figures.oracle_figures",
    sides=(BEFORE, AFTER),
)
