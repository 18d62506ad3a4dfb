"""Feedback for a rater in training."""

from dataclasses import dataclass

from annotation.models import Assignment
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetFeedback:
    title: str
    text: str
    answer: Level | None
    """The rater's, if any."""
    right: Level
    why: str

    @property
    def is_right(self) -> bool:
        return self.answer is not None and self.answer.value == self.right.value


def feedback_of(assignment: Assignment) -> list[TargetFeedback]:
    """Feedback on every target with a right answer, in the page's order. Two queries."""
    item = assignment.item
    criteria = questionnaire_of(item.campaign).criteria
    answers = {(row.criterion, row.target): row.value for row in assignment.judgments.all()}
    rights = {(row.criterion, row.target): row for row in item.reference_answers.all()}
    several = len({name for name, _ in rights}) > 1
    feedback = []
    for criterion in criteria:
        for target in criterion.displayed_targets(item):
            key = (criterion.name, target)
            if key not in rights:
                continue
            value = answers.get(key)
            feedback.append(
                TargetFeedback(
                    title=criterion.target_title(target, named=several),
                    text=criterion.target_text(item, target),
                    answer=None if value is None else criterion.level(value),
                    right=criterion.level(rights[key].value),
                    why=rights[key].why,
                )
            )
    return feedback
