"""Raters' answers about each sentence of one revision, level by level."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.questionnaires.attribution import PARTLY
from annotation.questionnaires.material import AFTER
from annotation.results.attribution import attribution_criterion
from annotation.results.judged import answers_by_revision
from annotation.results.labels import TargetAnswers, most_frequent
from pipeline.models import Revision

FULL, PART, NONE, TIE = "full", "part", "none", "tie"


@dataclass(frozen=True, slots=True)
class Levels:
    answers: TargetAnswers

    @property
    def part(self) -> int:
        """How many raters chose "partly"."""
        return self.answers.levels.count(PARTLY.value)

    @property
    def label(self) -> str:
        """FULL for label 1; else PART if more raters say at least partly, NONE or TIE if not.

        >>> Levels(TargetAnswers([1, 1, 0])).label, Levels(TargetAnswers([1, 2])).label
        ('full', 'part')
        >>> Levels(TargetAnswers([1, 0])).label, Levels(TargetAnswers([2, 0, 0])).label
        ('tie', 'none')
        """
        if self.answers.label == 1:
            return FULL
        at_least_partly = most_frequent(level != 0 for level in self.answers.in_effect)
        return {None: TIE, 1: PART, 0: NONE}[at_least_partly]


def sentence_levels(revision: Revision) -> Mapping[int, Levels]:
    """Map sentences of the revised text, from 0, to answers of all campaigns. Two queries."""
    by_side = answers_by_revision(
        attribution_criterion(),
        revision=revision,
        side=AFTER,
        campaign__questionnaire="attribution",
    )
    answers = by_side.get(AFTER, {}).get(revision.pk, {})
    return {target: Levels(answers[target]) for target in sorted(answers)}
