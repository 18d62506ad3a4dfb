"""What raters said of single revisions, beside the marks of auto-AIS: for pages that show both.

Submitted work that holds a slot counts, of all campaigns and phases together; a settled answer
goes before the raters'.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.db.models import Count, Q, QuerySet

from annotation.models import Adjudication, Campaign, Item, Judgment
from annotation.questionnaires.intent import INTENT
from annotation.results.attribution import attribution_in_full, read_settled, read_votes
from annotation.results.cached_figures import Figures, are_large
from annotation.results.labels import Label
from annotation.results.work_states import state_of_runs
from pipeline.models import Revision, Run

AFTER = Item.Side.AFTER.value
HIGHEST = INTENT.criteria[0].levels[-1].value
OF_MARKS: Mapping[str, int] = {"a": 1, "d": 1, "c": 0, "n": 0}
"""Whether auto-AIS takes a sentence for attributed, by its letter in `Revision.marks`."""


@dataclass(frozen=True, slots=True)
class Votes:
    """Of one thing that raters judged: a sentence's attribution, a pair's intent."""

    yes: int
    n: int
    settled: bool | None = None

    @property
    def label(self) -> Label:
        """1, 0, or None for a tie that nobody settled."""
        if self.settled is not None:
            return int(self.settled)
        return None if 2 * self.yes == self.n else int(2 * self.yes > self.n)

    @property
    def share(self) -> float:
        """The part that says yes, 0.0 to 1.0; what was settled, where it was."""
        return float(self.settled) if self.settled is not None else self.yes / self.n


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionVotes:
    """By the revision's id, of the revisions of some runs."""

    sentences: Mapping[int, Mapping[int, Votes]]
    """Sentence of y, from 0, to whether raters call it fully attributable."""
    intent: Mapping[int, Votes]
    """Whether raters call the revision's intent very similar to the original's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputes:
    """Passages that a list of them can be narrowed to."""

    disagreeing: frozenset[int] = frozenset()
    """Those of which raters and auto-AIS label a sentence of y differently."""
    intent_lost: frozenset[int] = frozenset()
    """Those of which most raters do not call the intent of a revision very similar."""


def revision_votes(runs: Sequence[Run], *, passage: int) -> RevisionVotes:
    """Of the runs' revisions of one passage. Four queries at most."""
    ids = [run.pk for run in runs]
    return RevisionVotes(
        sentences=_sentences(ids, passage=passage), intent=_intent(ids, passage=passage)[0]
    )


def votes_and_disputes(
    runs: Sequence[Run], figures: Figures, *, passage: int
) -> tuple[RevisionVotes, Disputes | None]:
    """`revision_votes` and `disputes`; of small runs from the same answers."""
    if are_large(runs):
        return revision_votes(runs, passage=passage), disputes(runs, figures)
    ids = [run.pk for run in runs]
    sentences, (intent, lost) = _sentences(ids), _intent(ids)
    found = Disputes(disagreeing=_disagreeing(ids, sentences), intent_lost=lost)
    return RevisionVotes(sentences=sentences, intent=intent), found


def disputes(runs: Sequence[Run], figures: Figures) -> Disputes | None:
    """Of the runs' revisions of all passages; None if they are missing."""
    ids = sorted(run.pk for run in runs)
    if not are_large(runs):
        return _disputes(ids)
    return figures.cached(partial(_disputes, ids), "disputes", ids, _state(ids))


def _disputes(runs: Sequence[int]) -> Disputes:
    """Five queries at most."""
    return Disputes(disagreeing=_disagreeing(runs, _sentences(runs)), intent_lost=_intent(runs)[1])


def _state(runs: Sequence[int]) -> str:
    """A fingerprint that changes with every answer, every settled one, and with the runs."""
    judged = Campaign.objects.filter(
        run_links__run__in=runs, questionnaire__in=("attribution", "intent")
    )
    return state_of_runs(list(judged.values_list("pk", flat=True)), runs)


def _sentences(runs: Sequence[int], *, passage: int | None = None) -> dict[int, dict[int, Votes]]:
    of_passage = {"item__passage": passage} if passage is not None else {}
    asked = attribution_in_full()
    votes, _ = read_votes(
        Judgment.objects.that_count().filter(
            assignment__item__campaign__in=_campaigns(runs, "attribution"),
            assignment__item__revision__run__in=runs,
            assignment__item__side=AFTER,
            **{f"assignment__{name}": each for name, each in of_passage.items()},
        ),
        asked,
    )
    if not votes.get(AFTER):
        return {}
    settled = read_settled(
        Adjudication.objects.filter(
            item__campaign__in=_campaigns(runs, "attribution"),
            item__revision__run__in=runs,
            item__side=AFTER,
            **of_passage,
        ),
        asked,
    ).get(AFTER, {})
    return {
        revision: {
            sentence: Votes(yes, n, settled.get(revision, {}).get(sentence))
            for sentence, (yes, n) in of_one.items()
        }
        for revision, of_one in votes.get(AFTER, {}).items()
    }


def _disagreeing(
    runs: Sequence[int], sentences: Mapping[int, Mapping[int, Votes]]
) -> frozenset[int]:
    if not sentences:
        return frozenset()
    judged = Revision.objects.filter(
        run__in=runs, items__campaign__questionnaire="attribution", items__side=AFTER
    )
    rows = judged.order_by().values_list("pk", "passage_id", "marks").distinct()
    return frozenset(
        passage
        for revision, passage, marks in rows.iterator()
        if any(
            differ(marks[sentence : sentence + 1], votes)
            for sentence, votes in sentences.get(revision, {}).items()
        )
    )


def differ(mark: str, votes: Votes) -> bool:
    """Whether auto-AIS (a letter of `Revision.marks`) and raters label a sentence differently."""
    return votes.label is not None and OF_MARKS.get(mark, votes.label) != votes.label


def _intent(
    runs: Sequence[int], *, passage: int | None = None
) -> tuple[dict[int, Votes], frozenset[int]]:
    of_passage = {"assignment__item__passage": passage} if passage is not None else {}
    answers = Judgment.objects.that_count().filter(
        assignment__item__campaign__in=_campaigns(runs, "intent"),
        assignment__item__revision__run__in=runs,
        criterion="intent",
        **of_passage,
    )
    found: dict[int, Votes] = {}
    passages: dict[int, set[int]] = defaultdict(set)
    rows = list(
        answers.order_by()
        .values_list("assignment__item__revision_id", "assignment__item__passage_id")
        .annotate(yes=Count("pk", filter=Q(value=HIGHEST)), n=Count("pk"))
    )
    settled = _settled_intent(runs) if rows else {}
    for revision, passage, yes, n in rows:
        known = settled.get(revision)
        found[revision] = Votes(yes, n, None if known is None else known == HIGHEST)
        passages[passage].add(revision)
    lost = (p for p, revisions in passages.items() if any(found[r].label == 0 for r in revisions))
    return found, frozenset(lost)


def _settled_intent(runs: Sequence[int]) -> dict[int, int]:
    settled = Adjudication.objects.filter(
        item__campaign__in=_campaigns(runs, "intent"),
        item__revision__run__in=runs,
        criterion="intent",
    )
    return dict(settled.values_list("item__revision_id", "value"))


def _campaigns(runs: Sequence[int], questionnaire: str) -> QuerySet[Campaign]:
    return Campaign.objects.filter(run_links__run__in=runs, questionnaire=questionnaire).order_by()
