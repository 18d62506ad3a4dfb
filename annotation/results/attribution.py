"""Attribution as raters see it: reads judgments and passes plain values to `pipeline.metrics`."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.items.run_groups import Group, groups_of
from annotation.models import Adjudication, Campaign, Item, Judgment
from annotation.models.judgments import JudgmentQuerySet
from annotation.questionnaires import load_questionnaire, questionnaire_of
from annotation.questionnaires.types import Questionnaire
from annotation.results.estimates import Drawn, are_repeated, are_weighted, mean_of, share_of
from annotation.results.with_auto_ais import PoweredFigure, powered_figures
from pipeline.metrics.attribution import attribution
from pipeline.metrics.inference import Estimate

SideVotes = Mapping[int, Mapping[int, tuple[int, int]]]
"""revision to sentence to (answers yes, all answers)"""
Settled = Mapping[int, Mapping[int, bool]]
"""revision to sentence to the answer that an adjudicator settled on"""
KindsOfNo = Mapping[str, tuple[tuple[str, int], ...]]
"""side to (label, number) of each answer that says more than a plain no"""
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
    """The share of sentences that most of their raters, or an adjudicator in their place, call
    attributable. A tie that nobody settled is left out here, and is null in an export."""
    attributable: int
    settled: int
    """Sentences that were judged and not tied; what the share is of."""
    tied: int
    adjudicated: int
    """Sentences whose answer is an adjudicator's."""
    yes: int
    no: int
    """Raters' own answers, before adjudication; everything but a full yes is a no."""
    kinds_of_no: tuple[tuple[str, int], ...] = ()
    """(label, number) of the answers among `no` that say more than a plain no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupResult:
    """What raters say about some of the campaign's runs, such as those of one system."""

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
    """Whether passages had unequal chances of being drawn, and so are weighted."""
    is_repeated: bool = False
    """Whether several systems revised the same passage, which then counts as one draw."""
    groups: tuple[GroupResult, ...] = ()
    """A group for each system and each dataset, if the campaign has several."""
    powered: tuple[PoweredFigure, ...] = ()
    """Attr_AIS with what auto-AIS gave the passages that nobody judged."""

    @property
    def powered_found(self) -> list[PoweredFigure]:
        return [each for each in self.powered if each.found]

    @property
    def powered_reasons(self) -> list[str]:
        """Why runs or sides have none."""
        return list(dict.fromkeys(each.reason for each in self.powered if each.reason))

    @property
    def kinds(self) -> list[tuple[str, list[GroupResult]]]:
        """The groups by kind: by system, by dataset."""
        found: dict[str, list[GroupResult]] = {}
        for each in self.groups:
            found.setdefault(each.group.kind, []).append(each)
        return list(found.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """What is counted about some of a campaign's revisions."""

    drawn: Mapping[int, Drawn]
    votes: Mapping[str, SideVotes]
    settled: Mapping[str, Settled]
    auto: Mapping[str, SideScores]

    def of(self, runs: frozenset[int]) -> "_Judged":
        """The votes about some runs alone, from which all else is counted."""
        votes = {
            side: {
                revision: row for revision, row in rows.items() if self.drawn[revision].run in runs
            }
            for side, rows in self.votes.items()
        }
        return replace(self, votes=votes)

    def decided(self, side: str) -> SideVotes:
        return decided_votes(self.votes.get(side, {}), self.settled.get(side, {}))

    def mean(self, values: Mapping[int, float], *, lowest: float = 0) -> Estimate | None:
        """The mean over revisions, each by its weight."""
        drawn = [self.drawn[revision] for revision in values]
        return mean_of(list(values.values()), drawn, lowest=lowest, highest=1)


def campaign_result(
    campaign: Campaign, *, phase: str = "", has_settled: bool = True
) -> CampaignResult:
    """The results of one phase (`Item.Phase`), or of all phases if it is empty.

    Every estimate is about all passages that could have been drawn: of all runs together, and of
    each system and each dataset. Without `has_settled` nobody looks for settled answers.
    """
    drawn, auto = _drawn(campaign)
    questionnaire = questionnaire_of(campaign)
    answers = Judgment.objects.that_count().in_campaign(campaign, phase=phase)
    votes, kinds = read_votes(answers, questionnaire)
    given = Adjudication.objects.filter(item__campaign=campaign)
    settled = read_settled(given, questionnaire) if has_settled else {}
    judged = _Judged(drawn=drawn, votes=votes, settled=settled, auto=auto)
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
        powered=powered_figures(
            campaign,
            {side: mean_votes(judged.decided(side)) for side in wanted},
            judged.auto,
            drawn,
        ),
    )


def _change(judged: _Judged) -> Estimate | None:
    before, after = (
        mean_votes(judged.decided(side)) for side in (Item.Side.BEFORE.value, Item.Side.AFTER.value)
    )
    changes = {
        revision: after[revision] - before[revision] for revision in sorted(before.keys() & after)
    }
    return judged.mean(changes, lowest=-1)


def attribution_in_full() -> Questionnaire:
    """With all options, for several campaigns: nobody answered what theirs did not choose."""
    attribution = load_questionnaire("attribution")
    return attribution.with_options([option.name for option in attribution.options])


def read_votes(
    answers: JudgmentQuerySet, questionnaire: Questionnaire
) -> tuple[Mapping[str, SideVotes], KindsOfNo]:
    """Raters' votes by side, and the answers that say more than a plain no. One query.

    A 1 is a yes, every other answer a no. Where an answer to another criterion leaves nothing to
    ask (AIS: a sentence that cannot be understood), it counts as a no; but it is no vote if an
    adjudicator settled that there was something to ask.
    """
    counted = questionnaire.criterion(questionnaire.counted)
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
        named[name, value] = questionnaire.criterion(name).level(value).label
    counts = {
        f"kind_{place}": Count("pk", filter=Q(criterion=name, value=value))
        for place, (name, value) in enumerate(named)
    }
    rows = (
        answers.order_by()
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


def read_settled(
    adjudications: QuerySet[Adjudication], questionnaire: Questionnaire
) -> Mapping[str, Settled]:
    """The settled answers by side. One query."""
    counted = questionnaire.criterion(questionnaire.counted)
    wanted = Q(criterion=counted.name)
    if counted.unless is not None:
        name, left_out = counted.unless
        wanted |= Q(criterion=name, value=left_out)
    rows = (
        adjudications.filter(wanted)
        .order_by()
        .values_list("item__side", "item__revision_id", "criterion", "target", "value")
    )
    settled: dict[str, dict[int, dict[int, bool]]] = defaultdict(lambda: defaultdict(dict))
    for side, revision, criterion, sentence, value in rows:
        if criterion == counted.name:  # what was settled of the question itself goes first
            settled[side][revision][sentence] = value == 1
        else:
            settled[side][revision].setdefault(sentence, False)
    return settled


def decided_votes(votes: SideVotes, settled: Settled) -> SideVotes:
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


def mean_votes(votes: SideVotes) -> dict[int, float]:
    """Attr_AIS of each judged passage."""
    scores = {
        revision: attribution([yes / n for yes, n in sentences.values()])
        for revision, sentences in votes.items()
    }
    return {revision: score for revision, score in scores.items() if score is not None}


def _drawn(campaign: Campaign) -> tuple[dict[int, Drawn], Mapping[str, SideScores]]:
    """Revision to how it was drawn, and side to revision to the auto-AIS score of that side's
    text, if it has one. One query."""
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
    decided = judged.decided(side)
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
        attribution=judged.mean(mean_votes(decided)),
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
