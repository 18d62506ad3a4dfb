"""What the raters' answers add up to: judgments to plain values to `pipeline.metrics`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Adjudication, Campaign, Item, Judgment
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Criterion
from pipeline.metrics.attribution import attribution
from pipeline.metrics.inference import (
    Estimate,
    mean_estimate,
    ratio_estimate,
    share_estimate,
    weighted_mean_estimate,
)

SideVotes = Mapping[int, Mapping[int, tuple[int, int]]]
"""revision to sentence to (answers yes, all answers)"""
Settled = Mapping[int, Mapping[int, bool]]
"""revision to sentence to the answer that an adjudicator settled on"""
Weights = Mapping[int, float]
"""revision to one over the chance that it had of being drawn; empty where all had the same"""


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
class CampaignResult:
    """Submitted work that holds a slot; drafts and late work are not in it."""

    sides: tuple[SideResult, ...]
    change: Estimate | None
    """The mean of after minus before, over passages judged on both sides."""
    is_weighted: bool = False
    """Whether passages had unequal chances of being drawn, and count by one over them."""


def campaign_result(campaign: Campaign, *, phase: str = "") -> CampaignResult:
    """Of one phase (`Item.Phase`), or of all where it is empty.

    Every estimate is of all the passages that could have been drawn.
    """
    votes = _votes(campaign, phase)
    settled = _settled(campaign)
    weights = weights_of(campaign)
    each = (Item.Side.BEFORE.value, Item.Side.AFTER.value)
    wanted = [side for side in each if campaign.sides in {side, Campaign.Side.BOTH}]
    before = _scores(_decided(votes[Item.Side.BEFORE], settled[Item.Side.BEFORE]))
    after = _scores(_decided(votes[Item.Side.AFTER], settled[Item.Side.AFTER]))
    auto = _auto_scores(campaign)
    kinds = _kinds_of_no(campaign, phase)
    changes = {
        revision: after[revision] - before[revision] for revision in sorted(before.keys() & after)
    }
    return CampaignResult(
        sides=tuple(
            _side_result(side, votes[side], settled[side], auto[side], weights, kinds.get(side, ()))
            for side in wanted
        ),
        change=_mean(changes, weights, lowest=-1),
        is_weighted=bool(weights),
    )


def weights_of(campaign: Campaign) -> Weights:
    """One over each passage's chance of being drawn; empty where all had the same chance."""
    items = Item.objects.filter(campaign=campaign).order_by()
    if campaign.sampling == Campaign.Sampling.ALL:
        return {}
    if len(items.values_list("inclusion").distinct()[:2]) < 2:
        return {}
    return {
        revision: 1 / chance for revision, chance in items.values_list("revision_id", "inclusion")
    }


def _mean(values: Mapping[int, float], weights: Weights, *, lowest: float = 0) -> Estimate | None:
    """The mean over passages of those that were drawn; each by its weight where these differ."""
    if not weights:
        return mean_estimate(list(values.values()), lowest=lowest, highest=1)
    return weighted_mean_estimate(
        list(values.values()),
        [weights[revision] for revision in values],
        lowest=lowest,
        highest=1,
    )


def _votes(campaign: Campaign, phase: str) -> Mapping[str, SideVotes]:
    """Raters' votes, side by side; a 1 is a yes, and every other answer is none.

    Where an answer to another criterion leaves nothing to ask (AIS: a sentence that cannot be
    understood), it is a vote against; unless an adjudicator settled that there was something to
    ask, and then it is no vote.
    """
    counted = _counted(campaign)
    asked = _counting(campaign, phase).filter(criterion=counted.name)
    votes: dict[str, dict[int, dict[int, tuple[int, int]]]] = defaultdict(lambda: defaultdict(dict))
    if counted.unless is None:
        rows = _by_sentence(asked)
    else:
        name, value = counted.unless
        same = {"target": OuterRef("target"), "criterion": name}
        left_out = _counting(campaign, phase).filter(criterion=name, value=value)
        overruled = Adjudication.objects.filter(
            ~Q(value=value), item=OuterRef("assignment__item"), **same
        )
        blocked = Judgment.objects.filter(assignment=OuterRef("assignment"), value=value, **same)
        against = _by_sentence(left_out.exclude(Exists(overruled)))
        rows = chain(
            _by_sentence(asked.exclude(Exists(blocked))),
            ((side, revision, sentence, 0, n) for side, revision, sentence, _, n in against),
        )
    for side, revision, sentence, yes, n in rows:
        had_yes, had = votes[side][revision].get(sentence, (0, 0))
        votes[side][revision][sentence] = (had_yes + yes, had + n)
    return votes


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


def _by_sentence(judgments: QuerySet[Judgment]) -> Iterable[tuple[str, int, int, int, int]]:
    """(side, revision, sentence, answers yes, answers)."""
    return judgments.values_list(
        "assignment__item__side", "assignment__item__revision_id", "target"
    ).annotate(yes=Count("pk", filter=Q(value=1)), n=Count("pk"))


def _kinds_of_no(campaign: Campaign, phase: str) -> Mapping[str, tuple[tuple[str, int], ...]]:
    """Side to what its answers say between yes and no, or in place of them; one query."""
    counted = _counted(campaign)
    named = {(counted.name, level.value): level.label for level in counted.levels[1:-1]}
    if counted.unless is not None:
        name, value = counted.unless
        named[name, value] = questionnaire_of(campaign).criterion(name).level(value).label
    if not named:
        return {}
    rows = (
        _counting(campaign, phase)
        .filter(criterion__in={name for name, _ in named}, value__in={v for _, v in named})
        .values_list("assignment__item__side", "criterion", "value")
        .annotate(Count("pk"))
    )
    found = {(side, (name, value)): n for side, name, value, n in rows}
    return {
        side: tuple((label, found.get((side, key), 0)) for key, label in named.items())
        for side in Item.Side.values
    }


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


def _auto_scores(campaign: Campaign) -> Mapping[str, Mapping[int, float]]:
    """side to revision to what auto-AIS gave that side's text; without those it did not score."""
    scores: dict[str, dict[int, float]] = defaultdict(dict)
    rows = Item.objects.filter(campaign=campaign).values_list(
        "side", "revision_id", "revision__attribution_before", "revision__attribution_after"
    )
    for side, revision, before, after in rows.iterator():
        score = before if side == Item.Side.BEFORE else after
        if score is not None:
            scores[side][revision] = score
    return scores


def _share(votes: SideVotes, weights: Weights) -> Estimate | None:
    """The share of attributable sentences where passages have weights; ties are left out."""
    parts, wholes, used = [], [], []
    for revision, sentences in votes.items():
        parts.append(sum(2 * yes > n for yes, n in sentences.values()))
        wholes.append(sum(2 * yes != n for yes, n in sentences.values()))
        used.append(weights[revision])
    return ratio_estimate(parts, wholes, used, lowest=0, highest=1)


def _side_result(
    side: str,
    votes: SideVotes,
    settled_by: Settled,
    auto: Mapping[int, float],
    weights: Weights,
    kinds_of_no: tuple[tuple[str, int], ...],
) -> SideResult:
    decided = _decided(votes, settled_by)
    said = [counts for judged in votes.values() for counts in judged.values()]
    sentences = [counts for judged in decided.values() for counts in judged.values()]
    attributable = sum(2 * yes > n for yes, n in sentences)
    tied = sum(2 * yes == n for yes, n in sentences)
    settled = len(sentences) - tied
    return SideResult(
        side=side,
        attribution=_mean(_scores(decided), weights),
        auto=_mean(
            {revision: auto[revision] for revision in sorted(votes) if revision in auto}, weights
        ),
        sentences=_share(decided, weights) if weights else share_estimate(attributable, settled),
        attributable=attributable,
        settled=settled,
        tied=tied,
        adjudicated=sum(
            sentence in votes.get(revision, {})
            for revision, sentences in settled_by.items()
            for sentence in sentences
        ),
        yes=sum(yes for yes, _ in said),
        no=sum(n - yes for yes, n in said),
        kinds_of_no=kinds_of_no,
    )
