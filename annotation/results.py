"""What the raters' answers add up to: judgments to plain values to `pipeline.metrics`."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.estimating import Drawn, are_repeated, are_weighted, mean_of, share_of
from annotation.models import Adjudication, Campaign, Item, Judgment
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion
from annotation.strata import Group, groups_of
from pipeline.metrics.attribution import attribution
from pipeline.metrics.inference import Estimate

Kept = TypeVar("Kept")

SideVotes = Mapping[int, Mapping[int, tuple[int, int]]]
"""revision to sentence to (answers yes, all answers)"""
Settled = Mapping[int, Mapping[int, bool]]
"""revision to sentence to the answer that an adjudicator settled on"""
KindsOfNo = Mapping[str, tuple[tuple[str, int], ...]]
"""side to what of its answers is more than a plain no, in words, with how many are"""
SideScores = Mapping[int, float]
"""revision to what auto-AIS gave one side of it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideResult:
    """What raters say about one side of the passages."""

    side: str
    attribution: Estimate | None
    """Attr_AIS: the mean over passages of each one's share of attributable sentences, where a
    sentence that several raters judged counts with the share of them who said yes, and one
    that was adjudicated with the settled answer."""
    auto: Estimate | None
    """Attr_auto of the same passages, those that people judged: the mean of what auto-AIS gave."""
    sentences: Estimate | None
    """The share of sentences that more than half of their raters, or an adjudicator in their
    place, call attributable, among those where the raters do not tie: a tie that nobody settled
    is null in an export, and counts for neither here."""
    attributable: int
    settled: int
    """Sentences that were judged and not tied; what the share is of."""
    tied: int
    adjudicated: int
    """Sentences whose answer is an adjudicator's."""
    yes: int
    no: int
    """Raters' own answers, whatever was settled; whatever is not a full yes is a no."""
    kinds_of_no: tuple[tuple[str, int], ...] = ()
    """What of `no` is more than a plain no, in words, where the campaign offers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupResult:
    """What raters say of some of the campaign's runs: of one system, say."""

    group: Group
    sides: tuple[SideResult, ...]
    change: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignResult:
    """Submitted work that holds a slot; drafts and late work are not in it."""

    sides: tuple[SideResult, ...]
    change: Estimate | None
    """The mean of after minus before, over passages judged on both sides."""
    is_weighted: bool = False
    """Whether passages had unequal chances of being drawn, and count by one over them."""
    is_repeated: bool = False
    """Whether some passage was revised by several systems; in figures over all it is one draw."""
    groups: tuple[GroupResult, ...] = ()
    """System by system, dataset by dataset, where the campaign has several."""

    @property
    def kinds(self) -> list[tuple[str, list[GroupResult]]]:
        """What groups are told apart by, and those of each."""
        found: dict[str, list[GroupResult]] = {}
        for each in self.groups:
            found.setdefault(each.group.kind, []).append(each)
        return list(found.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """What there is to count of some of a campaign's revisions."""

    drawn: Mapping[int, Drawn]
    votes: Mapping[str, SideVotes]
    settled: Mapping[str, Settled]
    auto: Mapping[str, SideScores]

    def of(self, runs: frozenset[int]) -> "_Judged":
        """Those of some runs alone."""
        drawn = {key: each for key, each in self.drawn.items() if each.run in runs}
        return _Judged(
            drawn=drawn,
            votes={side: _only(drawn, rows) for side, rows in self.votes.items()},
            settled={side: _only(drawn, rows) for side, rows in self.settled.items()},
            auto={side: _only(drawn, rows) for side, rows in self.auto.items()},
        )

    def mean(self, values: Mapping[int, float], *, lowest: float = 0) -> Estimate | None:
        """The mean over revisions, each by its weight."""
        drawn = [self.drawn[revision] for revision in values]
        return mean_of(list(values.values()), drawn, lowest=lowest, highest=1)


def _only(drawn: Mapping[int, Drawn], rows: Mapping[int, Kept]) -> dict[int, Kept]:
    return {revision: row for revision, row in rows.items() if revision in drawn}


def campaign_result(campaign: Campaign, *, phase: str = "") -> CampaignResult:
    """Of one phase (`Item.Phase`), or of all where it is empty.

    Every estimate is of all the passages that could have been drawn: of all runs together, and of
    each system and each dataset.
    """
    drawn, auto = _drawn(campaign)
    votes, kinds = _votes(campaign, phase)
    judged = _Judged(drawn=drawn, votes=votes, settled=_settled(campaign), auto=auto)
    each = (Item.Side.BEFORE.value, Item.Side.AFTER.value)
    wanted = [side for side in each if campaign.sides in {side, Campaign.Side.BOTH}]
    groups = []
    for group in groups_of(campaign):
        own = judged.of(group.runs)
        sides = tuple(_side_result(side, own) for side in wanted)
        groups.append(GroupResult(group=group, sides=sides, change=_change(own)))
    every = list(drawn.values())
    return CampaignResult(
        sides=tuple(_side_result(side, judged, kinds.get(side, ())) for side in wanted),
        change=_change(judged),
        is_weighted=are_weighted(every),
        is_repeated=are_repeated(every),
        groups=tuple(groups),
    )


def _change(judged: _Judged) -> Estimate | None:
    before, after = (
        _scores(_decided(judged.votes.get(side, {}), judged.settled.get(side, {})))
        for side in (Item.Side.BEFORE.value, Item.Side.AFTER.value)
    )
    changes = {
        revision: after[revision] - before[revision] for revision in sorted(before.keys() & after)
    }
    return judged.mean(changes, lowest=-1)


def _votes(campaign: Campaign, phase: str) -> tuple[Mapping[str, SideVotes], KindsOfNo]:
    """Raters' votes, side by side; a 1 is a yes, and every other answer is none. And what of these
    is more than a plain no. One query.

    Where an answer to another criterion leaves nothing to ask (AIS: a sentence that cannot be
    understood), it is a vote against; unless an adjudicator settled that there was something to
    ask, and then it is no vote.
    """
    counted = _counted(campaign)
    wanted = Q(criterion=counted.name)
    named = {(counted.name, level.value): level.label for level in counted.levels[1:-1]}
    if counted.unless is not None:
        name, value = counted.unless
        same = {"target": OuterRef("target"), "criterion": name}
        overruled = Adjudication.objects.filter(
            ~Q(value=value), item=OuterRef("assignment__item"), **same
        )
        blocked = Judgment.objects.filter(assignment=OuterRef("assignment"), value=value, **same)
        wanted &= Q(~Exists(blocked))
        wanted |= Q(~Exists(overruled), criterion=name, value=value)
        named[name, value] = questionnaire_of(campaign).criterion(name).level(value).label
    counts = {
        f"kind_{place}": Count("pk", filter=Q(criterion=name, value=value))
        for place, (name, value) in enumerate(named)
    }
    rows = (
        _counting(campaign, phase)
        .filter(wanted)
        .values_list("assignment__item__side", "assignment__item__revision_id", "target")
        .annotate(
            yes=Count("pk", filter=Q(criterion=counted.name, value=1)), n=Count("pk"), **counts
        )
    )
    votes: dict[str, dict[int, dict[int, tuple[int, int]]]] = defaultdict(lambda: defaultdict(dict))
    found: dict[str, list[int]] = {side: [0] * len(named) for side in Item.Side.values}
    for side, revision, sentence, yes, n, *of_kind in rows:
        votes[side][revision][sentence] = (yes, n)
        for place, times in enumerate(of_kind):
            found[side][place] += times
    return votes, {
        side: tuple(zip(named.values(), times, strict=True)) for side, times in found.items()
    }


def _counted(campaign: Campaign) -> Criterion:
    questionnaire = questionnaire_of(campaign)
    return questionnaire.criterion(questionnaire.counted)


def _counting(campaign: Campaign, phase: str) -> QuerySet[Judgment]:
    """Answers of submitted work that holds a slot."""
    of_phase = {"assignment__item__phase": phase} if phase else {}
    return Judgment.objects.filter(
        **of_phase,
        assignment__item__campaign=campaign,
        assignment__submitted_at__isnull=False,
        assignment__slot__isnull=False,
        value__isnull=False,
    ).order_by()


def _settled(campaign: Campaign) -> Mapping[str, Settled]:
    counted = _counted(campaign)
    wanted = Q(criterion=counted.name)
    if counted.unless is not None:
        name, left_out = counted.unless
        wanted |= Q(criterion=name, value=left_out)
    rows = (
        Adjudication.objects.filter(wanted, item__campaign=campaign)
        .order_by()
        .values_list("item__side", "item__revision_id", "criterion", "target", "value")
    )
    settled: dict[str, dict[int, dict[int, bool]]] = defaultdict(lambda: defaultdict(dict))
    for side, revision, criterion, sentence, value in rows:
        is_yes = criterion == counted.name and value == 1
        settled[side][revision].setdefault(sentence, is_yes)
        if criterion == counted.name:  # what was settled of the question itself goes first
            settled[side][revision][sentence] = is_yes
    return settled


def _decided(votes: SideVotes, settled: Settled) -> SideVotes:
    """The votes, with a settled answer in place of the raters' about the same sentence."""
    return {
        revision: {
            sentence: (int(settled[revision][sentence]), 1)
            if sentence in settled.get(revision, {})
            else counts
            for sentence, counts in sentences.items()
        }
        for revision, sentences in votes.items()
    }


def _scores(votes: SideVotes) -> dict[int, float]:
    """Attr_AIS of each judged passage."""
    scores = {}
    for revision, sentences in votes.items():
        score = attribution([yes / n for yes, n in sentences.values()])
        if score is not None:
            scores[revision] = score
    return scores


def _drawn(campaign: Campaign) -> tuple[dict[int, Drawn], Mapping[str, SideScores]]:
    """Revision to how it was drawn; and side to revision to what auto-AIS gave that side's text,
    without those that it did not score. One query."""
    drawn: dict[int, Drawn] = {}
    scores: dict[str, dict[int, float]] = defaultdict(dict)
    rows = Item.objects.filter(campaign=campaign).values_list(
        "side", "revision_id", "revision__run_id", "passage_id", "inclusion",
        "revision__attribution_before", "revision__attribution_after",
    )  # fmt: skip
    for side, revision, run, passage, inclusion, before, after in rows.iterator():
        drawn[revision] = Drawn(run=run, passage=passage, weight=1 / inclusion)
        score = before if side == Item.Side.BEFORE else after
        if score is not None:
            scores[side][revision] = score
    return drawn, scores


def _side_result(
    side: str, judged: _Judged, kinds_of_no: tuple[tuple[str, int], ...] = ()
) -> SideResult:
    votes, settled_by = judged.votes.get(side, {}), judged.settled.get(side, {})
    auto = judged.auto.get(side, {})
    decided = _decided(votes, settled_by)
    said = [counts for of_one in votes.values() for counts in of_one.values()]
    # Of each revision: attributable sentences, and those that are not tied.
    counted = {
        revision: (
            sum(2 * yes > n for yes, n in sentences.values()),
            sum(2 * yes != n for yes, n in sentences.values()),
        )
        for revision, sentences in decided.items()
    }
    settled = sum(whole for _, whole in counted.values())
    return SideResult(
        side=side,
        attribution=judged.mean(_scores(decided)),
        auto=judged.mean(
            {revision: auto[revision] for revision in sorted(votes) if revision in auto}
        ),
        sentences=share_of(
            list(counted.values()), [judged.drawn[revision] for revision in counted]
        ),
        attributable=sum(part for part, _ in counted.values()),
        settled=settled,
        tied=sum(len(sentences) for sentences in decided.values()) - settled,
        adjudicated=sum(
            sentence in votes.get(revision, {})
            for revision, sentences in settled_by.items()
            for sentence in sentences
        ),
        yes=sum(yes for yes, _ in said),
        no=sum(n - yes for yes, n in said),
        kinds_of_no=kinds_of_no,
    )
