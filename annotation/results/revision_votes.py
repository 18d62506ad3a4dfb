"""What raters said of single revisions, beside the marks of auto-AIS: for pages that show both.

Submitted work that holds a slot counts, of all campaigns and phases together; a settled answer
goes before the raters'.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.models import Campaign, Item
from annotation.questionnaires.intent import INTENT
from annotation.questionnaires.material import PAIR
from annotation.results.attribution import attributable_in_full
from annotation.results.cached_figures import Figures, are_large
from annotation.results.judged import ByRevision, answers_by_revision
from annotation.results.labels import TargetAnswers
from annotation.results.work_states import state_of_runs
from pipeline.models import Revision, Run

AFTER = Item.Side.AFTER.value
OF_MARKS: Mapping[str, int] = {"a": 1, "d": 1, "c": 0, "n": 0}
"""Whether auto-AIS takes a sentence for attributed, by its letter in `Revision.marks`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionVotes:
    """By the revision's id, of the revisions of some runs."""

    sentences: ByRevision
    """Sentence of y, from 0, to whether raters call it fully attributable."""
    intent: Mapping[int, TargetAnswers]
    """Whether raters call the revision's intent very similar to the original's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputes:
    """Passages that a list of them can be narrowed to."""

    disagreeing: frozenset[int] = frozenset()
    """Those of which raters and auto-AIS label a sentence of y differently."""
    intent_lost: frozenset[int] = frozenset()
    """Those of which most raters do not call the intent of a revision very similar."""


def revision_votes(runs: Sequence[Run], **items: Any) -> RevisionVotes:
    """Of the runs' revisions, of the items that meet these lookups. Four queries."""
    ids = [run.pk for run in runs]
    sentences = answers_by_revision(
        attributable_in_full(),
        campaign__in=_campaigns(ids, "attribution"),
        revision__run__in=ids,
        side=AFTER,
        **items,
    )
    pairs = answers_by_revision(
        INTENT.criteria[0],
        campaign__in=_campaigns(ids, "intent"),
        revision__run__in=ids,
        **items,
    )
    return RevisionVotes(
        sentences=sentences.get(AFTER, {}),
        intent={revision: of_pair[0] for revision, of_pair in pairs.get(PAIR, {}).items()},
    )


def votes_and_disputes(
    runs: Sequence[Run], figures: Figures, *, passage: int
) -> tuple[RevisionVotes, Disputes | None]:
    """`revision_votes` of a passage and `disputes`; of small runs from the same answers."""
    if are_large(runs):
        return revision_votes(runs, passage=passage), disputes(runs, figures)
    votes = revision_votes(runs)
    return votes, _disputes(runs, votes)


def disputes(runs: Sequence[Run], figures: Figures) -> Disputes | None:
    """Of the runs' revisions of all passages; None if they are missing."""
    if not are_large(runs):
        return _disputes(runs, revision_votes(runs))
    ids = sorted(run.pk for run in runs)
    return figures.cached(
        lambda: _disputes(runs, revision_votes(runs)), "disputes", ids, _state(ids)
    )


def _disputes(runs: Sequence[Run], votes: RevisionVotes) -> Disputes:
    """One query, none where nobody judged."""
    if not (votes.sentences or votes.intent):
        return Disputes()
    rows = list(Revision.objects.filter(run__in=runs).values_list("pk", "passage_id", "marks"))
    return Disputes(
        disagreeing=frozenset(
            passage
            for revision, passage, marks in rows
            if any(
                differ(marks[sentence : sentence + 1], answers)
                for sentence, answers in votes.sentences.get(revision, {}).items()
            )
        ),
        intent_lost=frozenset(
            passage
            for revision, passage, _ in rows
            if revision in votes.intent and votes.intent[revision].label == 0
        ),
    )


def _state(runs: Sequence[int]) -> str:
    """A fingerprint that changes with every answer, every settled one, and with the runs."""
    judged = Campaign.objects.filter(
        run_links__run__in=runs, questionnaire__in=("attribution", "intent")
    )
    return state_of_runs(list(judged.values_list("pk", flat=True)), runs)


def differ(mark: str, votes: TargetAnswers) -> bool:
    """Whether auto-AIS (a letter of `Revision.marks`) and raters label a sentence differently."""
    return votes.label is not None and OF_MARKS.get(mark, votes.label) != votes.label


def _campaigns(runs: Sequence[int], questionnaire: str) -> QuerySet[Campaign]:
    return Campaign.objects.filter(run_links__run__in=runs, questionnaire=questionnaire).order_by()
