"""What a rater in training is told: target by target, what they said, what is right and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Assignment
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Level
from annotation.targets import target_text, target_title


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One target of a training item."""

    title: str
    text: str
    said: Level | None
    """None where the rater left it open."""
    right: Level
    why: str

    @property
    def is_right(self) -> bool:
        return self.said is not None and self.said.value == self.right.value


def tell(assignment: Assignment) -> list[Told]:
    """Every target that has a right answer, in the page's order. Two queries."""
    item = assignment.item
    criteria = questionnaire_of(item.campaign).criteria
    said = {(row.criterion, row.target): row.value for row in assignment.judgments.all()}
    rights = {(row.criterion, row.target): row for row in item.right_answers.all()}
    several = len({name for name, _ in rights}) > 1
    told = []
    for criterion in criteria:
        for target in range(criterion.target_count(item)):
            right = rights.get((criterion.name, target))
            if right is None:
                continue
            value = said.get((criterion.name, target))
            told.append(
                Told(
                    title=target_title(criterion, target, named=several),
                    text=target_text(item, criterion, target),
                    said=None if value is None else criterion.level(value),
                    right=criterion.level(right.value),
                    why=right.why,
                )
            )
    return told


def right_share(told: Sequence[Told]) -> int:
    """How many of them are right."""
    return sum(each.is_right for each in told)
