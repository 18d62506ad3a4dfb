"""What raters said of single revisions, beside the marks of auto-AIS: for pages that show both.

Submitted work that holds a slot counts, of all campaigns and phases together; a settled answer
goes before the raters'.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, Max, Q, QuerySet

from annotation.models import Adjudication, Assignment, Campaign, Item, Judgment
from annotation.questionnaires import load_questionnaire
from annotation.questionnaires.intent import INTENT
from annotation.results.attribution import read_settled, read_votes
from annotation.results.cache import CachedFigure, compute_figure
from annotation.results.labels import Label
from pipeline.models import Revision, Run

AFTER = Item.Side.AFTER.value
HIGHEST = INTENT.criteria[0].levels[-1].value
KEPT_SECONDS = 600
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
    disagreeing: frozenset[int]
    """Passages of which raters and auto-AIS label a sentence of y differently."""
    intent_lost: frozenset[int]
    """Passages of which most raters do not call the intent of a revision very similar."""


def revision_votes(runs: Sequence[Run]) -> RevisionVotes:
    """Two queries where nothing has changed since, and at most five more; what was slow to count
    stands for a while, as `results.cache` says."""
    key = f"annotation.revision_votes.{'.'.join(sorted(str(run.pk) for run in runs))}"
    found: CachedFigure[RevisionVotes] | None = cache.get(key)
    if found is not None and found.stands:
        return found.value
    state = _state(runs)
    if found is None or found.state != state:
        found = compute_figure(lambda: _read(runs), state=state)
        cache.set(key, found, KEPT_SECONDS)
    return found.value


def _state(runs: Sequence[Run]) -> str:
    """A fingerprint that changes with every answer, as `results.reliability.state_of_work`, and
    with every settled one."""
    campaigns = Campaign.objects.filter(
        run_links__run__in=list(runs), questionnaire__in=("attribution", "intent")
    ).order_by()
    work = Assignment.objects.filter(item__campaign__in=campaigns).aggregate(
        counted=Count("pk", filter=Q(submitted_at__isnull=False, slot__isnull=False)),
        last=Max("lease_until"),
        submitted=Max("submitted_at"),
    )
    settled = Adjudication.objects.filter(item__campaign__in=campaigns).aggregate(
        n=Count("pk"), last=Max("updated_at")
    )
    ended = [run.finished_at for run in runs]
    return f"{[*work.values()]}:{[*settled.values()]}:{ended}"


def _read(runs: Sequence[Run]) -> RevisionVotes:
    sentences = _sentences(runs)
    intent, lost = _intent(runs)
    return RevisionVotes(
        sentences=sentences,
        intent=intent,
        disagreeing=_disagreeing(runs, sentences),
        intent_lost=lost,
    )


def _sentences(runs: Sequence[Run]) -> dict[int, dict[int, Votes]]:
    attribution = load_questionnaire("attribution")
    # Its options change nothing for campaigns that did not choose them: nobody answered those.
    asked = attribution.with_options([option.name for option in attribution.options])
    votes, _ = read_votes(
        Judgment.objects.that_count().filter(
            assignment__item__campaign__in=_campaigns(runs, "attribution"),
            assignment__item__revision__run__in=list(runs),
            assignment__item__side=AFTER,
        ),
        asked,
    )
    if not votes.get(AFTER):
        return {}
    settled = read_settled(
        Adjudication.objects.filter(
            item__campaign__in=_campaigns(runs, "attribution"),
            item__revision__run__in=list(runs),
            item__side=AFTER,
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
    runs: Sequence[Run], sentences: Mapping[int, Mapping[int, Votes]]
) -> frozenset[int]:
    if not sentences:
        return frozenset()
    judged = Revision.objects.filter(
        run__in=list(runs), items__campaign__questionnaire="attribution", items__side=AFTER
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


def _intent(runs: Sequence[Run]) -> tuple[dict[int, Votes], frozenset[int]]:
    answers = Judgment.objects.that_count().filter(
        assignment__item__campaign__in=_campaigns(runs, "intent"),
        assignment__item__revision__run__in=list(runs),
        criterion="intent",
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


def _settled_intent(runs: Sequence[Run]) -> dict[int, int]:
    settled = Adjudication.objects.filter(
        item__campaign__in=_campaigns(runs, "intent"),
        item__revision__run__in=list(runs),
        criterion="intent",
    )
    return dict(settled.values_list("item__revision_id", "value"))


def _campaigns(runs: Sequence[Run], questionnaire: str) -> QuerySet[Campaign]:
    return Campaign.objects.filter(
        run_links__run__in=list(runs), questionnaire=questionnaire
    ).order_by()
