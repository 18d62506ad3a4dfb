"""Raters' answers about each sentence of one revision, level by level."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.questionnaires.attribution import PARTLY
from annotation.results.attribution import AFTER, attributable_in_full
from annotation.results.judged import answers_by_revision
from annotation.results.labels import TargetAnswers, majority
from pipeline.models import Revision

FULL, PART, NONE, TIE = "full", "part", "none", "tie"


@dataclass(frozen=True, slots=True)
class Levels:
    answers: TargetAnswers

    @property
    def part(self) -> int:
        return self.answers.levels.count(PARTLY.value)

    @property
    def majority(self) -> str:
        """FULL by a majority; PART by a majority of partly and full; else NONE; TIE if even.

        >>> Levels(TargetAnswers([1, 1, 0])).majority, Levels(TargetAnswers([1, 2])).majority
        ('full', 'part')
        >>> Levels(TargetAnswers([1, 0])).majority, Levels(TargetAnswers([2, 0, 0])).majority
        ('tie', 'none')
        """
        if self.answers.label == 1:
            return FULL
        at_least_partly = majority(level != 0 for level in self.answers.in_effect)
        return TIE if at_least_partly is None else PART if at_least_partly else NONE


def sentence_levels(revision: Revision) -> Mapping[int, Levels]:
    """Sentence of y, from 0, to the answers of all attribution campaigns. Two queries."""
    of_side = answers_by_revision(
        attributable_in_full(),
        revision=revision,
        side=AFTER,
        campaign__questionnaire="attribution",
    )
    answers = of_side.get(AFTER, {}).get(revision.pk, {})
    return {target: Levels(answers[target]) for target in sorted(answers)}
