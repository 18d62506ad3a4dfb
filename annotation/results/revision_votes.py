"""Answers of all campaigns about single revisions, and auto-AIS's marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.models import Campaign
from annotation.questionnaires.intent import INTENT
from annotation.questionnaires.material import AFTER, PAIR
from annotation.results.answers import AnswersByRevision, answers_by_side
from annotation.results.attribution import attribution_criterion
from annotation.results.cached_figures import FigureCache, are_large, runs_fingerprint
from annotation.results.labels import TargetAnswers
from pipeline.models import Revision, Run

MARK_LABELS: Mapping[str, int] = {"a": 1, "d": 1, "c": 0, "n": 0}
"""Auto-AIS's label by mark: attributed, attributed but disputed, contradicted, neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionVotes:
    """Answers by revision."""

    sentences: AnswersByRevision
    """Is it fully attributable? By sentence of the revised text, from 0."""
    intent: Mapping[int, TargetAnswers]
    """Is the intent very similar?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedPassages:
    """Primary keys of passages with at least one revision of the kind."""

    disagreeing: frozenset[int] = frozenset()
    """Raters and auto-AIS label a sentence of the revised text differently."""
    intent_lost: frozenset[int] = frozenset()
    """Most raters do not call the intent very similar."""


def revision_votes(runs: Sequence[Run], **item_lookups: Any) -> RevisionVotes:
    """Read the answers about the runs' revisions. Four queries."""
    ids = [run.pk for run in runs]
    sentences = answers_by_side(
        attribution_criterion(),
        campaign__in=_campaigns(ids, "attribution"),
        revision__run__in=ids,
        side=AFTER,
        **item_lookups,
    )
    intent = answers_by_side(
        INTENT.criteria[0],
        campaign__in=_campaigns(ids, "intent"),
        revision__run__in=ids,
        **item_lookups,
    )
    return RevisionVotes(
        sentences=sentences.get(AFTER, {}),
        intent={revision: of_pair[0] for revision, of_pair in intent.get(PAIR, {}).items()},
    )


def votes_and_flagged(
    runs: Sequence[Run], cache: FigureCache, *, passage: int
) -> tuple[RevisionVotes, FlaggedPassages | None]:
    """Return `revision_votes` and `flagged_passages`.

    If the runs are large, votes are about `passage` alone; else about all, as flagging reads them.
    """
    if are_large(runs):
        return revision_votes(runs, passage=passage), flagged_passages(runs, cache)
    votes = revision_votes(runs)
    return votes, _flag(runs, votes)


def flagged_passages(runs: Sequence[Run], cache: FigureCache) -> FlaggedPassages | None:
    """Find the runs' flagged passages. They are cached for large runs; None if missing."""
    if not are_large(runs):
        return _flag(runs, revision_votes(runs))
    ids = sorted(run.pk for run in runs)
    return cache.get_by_key(
        lambda: _flag(runs, revision_votes(runs)), "flagged_passages", ids, _fingerprint(ids)
    )


def _flag(runs: Sequence[Run], votes: RevisionVotes) -> FlaggedPassages:
    """Find them by one query, or none without votes."""
    if not (votes.sentences or votes.intent):
        return FlaggedPassages()
    rows = list(Revision.objects.filter(run__in=runs).values_list("pk", "passage_id", "marks"))
    return FlaggedPassages(
        disagreeing=frozenset(
            passage
            for revision, passage, marks in rows
            if any(
                labels_differ(marks[sentence : sentence + 1], answers)  # marks may be empty
                for sentence, answers in votes.sentences.get(revision, {}).items()
            )
        ),
        intent_lost=frozenset(
            passage
            for revision, passage, _ in rows
            if revision in votes.intent and votes.intent[revision].label == 0
        ),
    )


def _fingerprint(runs: Sequence[int]) -> str:
    judged = Campaign.objects.filter(
        run_links__run__in=runs, questionnaire__in=("attribution", "intent")
    )
    return runs_fingerprint(list(judged.values_list("pk", flat=True)), runs)


def labels_differ(mark: str, votes: TargetAnswers) -> bool:
    """Return whether raters and the mark both give a label, and these differ."""
    automatic = MARK_LABELS.get(mark)
    return None not in {automatic, votes.label} and automatic != votes.label


def _campaigns(runs: Sequence[int], questionnaire: str) -> QuerySet[Campaign]:
    return Campaign.objects.filter(run_links__run__in=runs, questionnaire=questionnaire).order_by()
