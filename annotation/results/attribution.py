"""Attribution as raters see it: reads judgments and passes plain values to `pipeline.metrics`."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from annotation.items.run_groups import Group, groups_of
from annotation.models import Campaign, Item
from annotation.questionnaires import load_questionnaire, questionnaire_of
from annotation.questionnaires.types import Criterion, Questionnaire
from annotation.results.estimates import Drawn, are_repeated, are_weighted, mean_of, share_of
from annotation.results.judged import ByRevision, answers_by_revision, in_phase
from annotation.results.labels import TargetAnswers
from annotation.results.with_auto_ais import PoweredFigure, powered_figures
from pipeline.metrics.attribution import attribution
from pipeline.metrics.inference import Estimate

SideScores = Mapping[int, float]
"""revision to the attribution of one side of it, by raters or by auto-AIS"""
Known = TypeVar("Known")


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


def campaign_result(campaign: Campaign, *, phase: str = "") -> CampaignResult:
    """The results of one phase (`Item.Phase`), or of all phases if it is empty.

    Every estimate is about all passages that could have been drawn: of all runs together, and of
    each system and each dataset.
    """
    drawn, auto = _drawn(campaign)
    questionnaire = questionnaire_of(campaign)
    counted = questionnaire.criterion(questionnaire.counted)
    of_side = answers_by_revision(counted, **in_phase(campaign, phase))
    each = (Item.Side.BEFORE.value, Item.Side.AFTER.value)
    wanted = [side for side in each if campaign.sides in {side, campaign.Side.BOTH}]
    answers = {side: of_side.get(side, {}) for side in wanted}
    scores = {side: attr_ais(answers[side]) for side in wanted}

    def sides_of(group: Group | None = None) -> tuple[SideResult, ...]:
        return tuple(
            _side_result(
                side, questionnaire, _of_group(answers[side], drawn, group), auto[side], drawn
            )
            for side in wanted
        )

    every = list(drawn.values())
    return CampaignResult(
        sides=sides_of(),
        change=_change(scores, drawn),
        is_weighted=are_weighted(every),
        is_repeated=are_repeated(every),
        groups=tuple(
            GroupResult(group=group, sides=sides_of(group), change=_change(scores, drawn, group))
            for group in groups_of(campaign)
        ),
        powered=powered_figures(campaign, scores, auto, drawn),
    )


def attr_ais(answers: ByRevision) -> dict[int, float]:
    """Attr_AIS of each judged passage."""
    scores = {
        revision: attribution([each.share for each in of_one.values()])
        for revision, of_one in answers.items()
    }
    return {revision: score for revision, score in scores.items() if score is not None}


def attributable_in_full() -> Criterion:
    """With all options, for several campaigns: nobody answered what theirs did not choose."""
    attribution = load_questionnaire("attribution")
    with_all = attribution.with_options([option.name for option in attribution.options])
    return with_all.criterion(attribution.counted)


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
    side: str,
    questionnaire: Questionnaire,
    answers: ByRevision,
    auto: SideScores,
    drawn: Mapping[int, Drawn],
) -> SideResult:
    # Of each revision: attributable sentences, and those that are not tied.
    counted = {}
    for revision, of_one in answers.items():
        labels = [each.label for each in of_one.values()]
        counted[revision] = (labels.count(1), len(labels) - labels.count(None))
    settled = sum(whole for _, whole in counted.values())
    targets = [each for of_one in answers.values() for each in of_one.values()]
    yes = sum(each.yes for each in targets)
    return SideResult(
        side=side,
        attribution=_mean(attr_ais(answers), drawn),
        auto=_mean({each: auto[each] for each in sorted(answers) if each in auto}, drawn),
        sentences=share_of(list(counted.values()), [drawn[revision] for revision in counted]),
        attributable=sum(part for part, _ in counted.values()),
        settled=settled,
        tied=len(targets) - settled,
        adjudicated=sum(each.settled is not None for each in targets),
        yes=yes,
        no=sum(each.n for each in targets) - yes,
        kinds_of_no=_kinds_of_no(questionnaire, targets),
    )


def _kinds_of_no(
    questionnaire: Questionnaire, targets: Sequence[TargetAnswers]
) -> tuple[tuple[str, int], ...]:
    counted = questionnaire.criterion(questionnaire.counted)
    kinds = [
        (level.label, sum(each.levels.count(level.value) for each in targets))
        for level in counted.levels[1:-1]
    ]
    if counted.unless is not None:
        name, value = counted.unless
        label = questionnaire.criterion(name).level(value).label
        kinds.append((label, sum(each.unasked for each in targets)))
    return tuple(kinds)


def _change(
    scores: Mapping[str, SideScores], drawn: Mapping[int, Drawn], group: Group | None = None
) -> Estimate | None:
    before, after = (
        _of_group(scores.get(side.value, {}), drawn, group)
        for side in (Item.Side.BEFORE, Item.Side.AFTER)
    )
    changes = {
        revision: after[revision] - before[revision] for revision in sorted(before.keys() & after)
    }
    return _mean(changes, drawn, lowest=-1)


def _mean(values: SideScores, drawn: Mapping[int, Drawn], *, lowest: float = 0) -> Estimate | None:
    """The mean over revisions, each by its weight."""
    of_values = [drawn[revision] for revision in values]
    return mean_of(list(values.values()), of_values, lowest=lowest, highest=1)


def _of_group(
    of_revisions: Mapping[int, Known], drawn: Mapping[int, Drawn], group: Group | None
) -> dict[int, Known]:
    """What is known of the revisions of the group's runs; of all without a group."""
    return {
        revision: known
        for revision, known in of_revisions.items()
        if group is None or drawn[revision].run in group.runs
    }
