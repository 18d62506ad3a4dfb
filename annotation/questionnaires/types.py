"""What a questionnaire is: its criteria, its template, when an item is complete, what counts."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.models import Item


class UnknownCriterion(ValueError):
    """A judgment names a criterion that the questionnaire does not ask."""


class TargetOutOfRange(ValueError):
    """A judgment speaks of a sentence or a piece of evidence that the item does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One question, answered yes or no about each of an item's targets."""

    name: str
    targets: str
    """The field of `Item` that lists what is judged: `sentences` or `evidence`."""
    noun: str
    """One target, in words: "sentence"."""
    is_required: bool
    yes: str
    no: str
    unset: str

    def target_count(self, item: Item) -> int:
        return len(getattr(item, self.targets))


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A required answer that is missing; `target` counts from 0."""

    criterion: str
    target: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Questionnaire:
    """A kind of task."""

    name: str
    title: str
    question: str
    template: str
    guidelines: str
    """The template of the instructions: a fragment, shown in the page and on a page of its own."""
    criteria: tuple[Criterion, ...]
    counted: str
    """The criterion whose share of yes is the campaign's result."""

    def criterion(self, name: str) -> Criterion:
        """Raises `UnknownCriterion`."""
        for criterion in self.criteria:
            if criterion.name == name:
                return criterion
        known = ", ".join(criterion.name for criterion in self.criteria)
        raise UnknownCriterion(f"{name!r} is none of this questionnaire's criteria: {known}.")

    def check(self, item: Item, *, criterion: str, target: int) -> None:
        """Raises `UnknownCriterion` or `TargetOutOfRange` where there is nothing to judge."""
        asked = self.criterion(criterion)
        count = asked.target_count(item)
        if not 0 <= target < count:
            raise TargetOutOfRange(
                f"There is no {asked.noun} {target}: this item has {count}, counted from 0."
            )

    def gaps(self, item: Item, answers: Mapping[tuple[str, int], bool | None]) -> list[Gap]:
        """The required answers that are missing, in the page's order.

        `answers` maps (criterion, target) to the value; a missing key and None both say
        "not judged".
        """
        return [
            Gap(
                criterion=criterion.name,
                target=target,
                text=f"{criterion.noun.capitalize()} {target + 1} is {criterion.unset}.",
            )
            for criterion in self.criteria
            if criterion.is_required
            for target in range(criterion.target_count(item))
            if answers.get((criterion.name, target)) is None
        ]
