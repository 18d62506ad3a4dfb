"""Feedback for a rater in training: for each target what they said, what is right, and why."""

from dataclasses import dataclass

from annotation.models import Assignment
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetFeedback:
    """The feedback on one target."""

    title: str
    text: str
    said: Level | None
    """None where the rater left it open."""
    right: Level
    why: str

    @property
    def is_right(self) -> bool:
        return self.said is not None and self.said.value == self.right.value


def feedback_of(assignment: Assignment) -> list[TargetFeedback]:
    """Every target that has a right answer, in the page's order. Two queries."""
    item = assignment.item
    criteria = questionnaire_of(item.campaign).criteria
    said = {(row.criterion, row.target): row.value for row in assignment.judgments.all()}
    rights = {(row.criterion, row.target): row for row in item.reference_answers.all()}
    several = len({name for name, _ in rights}) > 1
    told = []
    for criterion in criteria:
        for target in criterion.shown(item):
            key = (criterion.name, target)
            if key not in rights:
                continue
            value = said.get(key)
            told.append(
                TargetFeedback(
                    title=criterion.target_title(target, named=several),
                    text=criterion.target_text(item, target),
                    said=None if value is None else criterion.level(value),
                    right=criterion.level(rights[key].value),
                    why=rights[key].why,
                )
            )
    return told
