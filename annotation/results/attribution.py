"""Attr_AIS: attribution by raters, estimated for a campaign and its groups of runs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from annotation.items.run_groups import Group, groups_of
from annotation.models import Campaign, Item
from annotation.questionnaires import load_questionnaire, questionnaire_of
from annotation.questionnaires.material import AFTER, BEFORE, BOTH
from annotation.questionnaires.types import Criterion, Questionnaire
from annotation.results.answers import AnswersByRevision, answers_by_side, in_phase
from annotation.results.labels import TargetAnswers
from annotation.results.prediction_powered import PoweredFigure, powered_figures
from annotation.results.samples import SampledRevision, design_of, is_clustered, is_weighted
from pipeline.data.labelled_answers import CLUSTER_COLUMNS, cluster_of
from pipeline.metrics.inference import Estimate, ratio_estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class SideResult:
    """Raters' answers about one side of the passages."""

    side: str
    attribution: Estimate | None
    """Attr_AIS: the mean over passages of the share of attributable sentences. A sentence counts
    with the share of its raters who said yes, or with its adjudicated answer."""
    auto: Estimate | None
    """Attr_auto of the judged passages."""
    attributable_share: Estimate | None
    """The share of labelled sentences with label 1."""
    attributable: int
    """Sentences with label 1."""
    labelled: int
    """Sentences with a label; the other judged ones are `tied`."""
    tied: int
    adjudicated: int
    yes: int
    no: int
    """Raters' answers before adjudication; everything but a full yes is a no."""
    kinds_of_no: tuple[tuple[str, int], ...]
    """Of `no`: how many of each level between the extremes, as ("partly", 12), and how many follow
    from another answer (`Criterion.unless`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsResult:
    group: Group | None
    """None for all runs."""
    sides: tuple[SideResult, ...]
    change: Estimate | None
    """The mean of after minus before, over passages judged on both sides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignResult:
    whole: RunsResult
    groups: tuple[RunsResult, ...]
    """Of each system, dataset or run, if the campaign has several (`groups_of`)."""
    is_weighted: bool
    """Inclusion probabilities differ."""
    is_clustered: bool
    """A cluster has several revisions."""
    powered: tuple[PoweredFigure, ...]
    """Prediction-powered estimates."""

    @property
    def tables(self) -> dict[str, list[RunsResult]]:
        """Results by kind of group that have some; "" for all runs together."""
        tables = {"": [self.whole]}
        for each in self.groups:
            if any(side.attribution for side in each.sides):
                tables.setdefault(each.group.kind if each.group else "", []).append(each)
        return tables

    @property
    def n(self) -> int:
        """The largest n of a mean."""
        sides = [side.attribution for each in (self.whole, *self.groups) for side in each.sides]
        return max((each.n for each in sides if each), default=0)

    @property
    def powered_estimates(self) -> list[PoweredFigure]:
        return [each for each in self.powered if each.estimates]

    @property
    def why_not_powered(self) -> list[str]:
        """Why runs or sides have no prediction-powered estimate."""
        return list(dict.fromkeys(each.why_missing for each in self.powered if each.why_missing))


def campaign_result(campaign: Campaign, phase: str = "") -> CampaignResult:
    """Estimate Attr_AIS of all passages that could have been sampled.

    From the answers of one phase (`Item.Phase`), or of all if it is empty.
    """
    sample, auto = _read_sample(campaign)
    questionnaire = questionnaire_of(campaign)
    criterion = questionnaire.criterion(questionnaire.result_criterion)
    by_side = answers_by_side(criterion, **in_phase(campaign, phase))
    sides = [side for side in (BEFORE, AFTER) if campaign.sides in {side, BOTH}]
    answers = {side: by_side.get(side, {}) for side in sides}
    human = {side: attr_ais(answers[side]) for side in sides}
    design = design_of(sample.values())
    return CampaignResult(
        whole=_runs_result(None, questionnaire, answers, auto, sample),
        groups=tuple(
            _runs_result(group, questionnaire, answers, auto, sample)
            for group in groups_of(campaign)
        ),
        is_weighted=is_weighted(design),
        is_clustered=is_clustered(design),
        powered=powered_figures(campaign, human, auto, sample),
    )


def attr_ais(answers: AnswersByRevision) -> dict[int, float]:
    """Attr_AIS of each judged passage, 0.0 to 1.0 (equation 1 of the RARR paper)."""
    return {
        revision: fmean(sentence.share for sentence in sentences.values())
        for revision, sentences in answers.items()
    }


def attribution_criterion() -> Criterion:
    """The result criterion of attribution with every option, to read all campaigns together."""
    attribution = load_questionnaire("attribution")
    with_all = attribution.with_options([option.name for option in attribution.options])
    return with_all.criterion(attribution.result_criterion)


def _read_sample(
    campaign: Campaign,
) -> tuple[dict[int, SampledRevision], dict[str, dict[int, float]]]:
    """Read the sampled revisions, and auto-AIS by side and revision. One query."""
    sample: dict[int, SampledRevision] = {}
    auto: dict[str, dict[int, float]] = defaultdict(dict)
    rows = Item.objects.filter(campaign=campaign).values_list(
        "side",
        "revision_id",
        "revision__run_id",
        "inclusion",
        "revision__attribution_before",
        "revision__attribution_after",
        *CLUSTER_COLUMNS,
    )
    for side, revision, run, inclusion, before, after, passage, *others in rows.iterator():
        sample[revision] = SampledRevision(
            run=run, passage=passage, weight=1 / inclusion, cluster=cluster_of(passage, *others)
        )
        score = before if side == BEFORE else after
        if score is not None:
            auto[side][revision] = score
    return sample, auto


def _runs_result(
    group: Group | None,
    questionnaire: Questionnaire,
    answers: Mapping[str, AnswersByRevision],
    auto: Mapping[str, Mapping[int, float]],
    sample: Mapping[int, SampledRevision],
) -> RunsResult:
    sides = []
    human: dict[str, dict[int, float]] = {BEFORE: {}, AFTER: {}}
    for side, by_revision in answers.items():
        judged = {
            revision: by_sentence
            for revision, by_sentence in by_revision.items()
            if group is None or sample[revision].run in group.runs
        }
        human[side] = attr_ais(judged)
        design = design_of(sample[revision] for revision in judged)
        scored = [revision for revision in sorted(judged) if revision in auto[side]]
        sentences = [each for by_sentence in judged.values() for each in by_sentence.values()]
        labels = [[each.label for each in by_sentence.values()] for by_sentence in judged.values()]
        ones = [of_passage.count(1) for of_passage in labels]
        labelled = [len(of_passage) - of_passage.count(None) for of_passage in labels]
        yes = sum(each.yes for each in sentences)
        sides.append(
            SideResult(
                side=side,
                attribution=ratio_estimate(
                    list(human[side].values()), **design, lowest=0, highest=1
                ),
                auto=ratio_estimate(
                    [auto[side][revision] for revision in scored],
                    **design_of(sample[revision] for revision in scored),
                    lowest=0,
                    highest=1,
                ),
                attributable_share=ratio_estimate(ones, labelled, **design, lowest=0, highest=1),
                attributable=sum(ones),
                labelled=sum(labelled),
                tied=len(sentences) - sum(labelled),
                adjudicated=sum(each.adjudicated is not None for each in sentences),
                yes=yes,
                no=sum(each.n for each in sentences) - yes,
                kinds_of_no=_kinds_of_no(questionnaire, sentences),
            )
        )
    both = sorted(human[BEFORE].keys() & human[AFTER])
    change = ratio_estimate(
        [human[AFTER][revision] - human[BEFORE][revision] for revision in both],
        **design_of(sample[revision] for revision in both),
        lowest=-1,
        highest=1,
    )
    return RunsResult(group=group, sides=tuple(sides), change=change)


def _kinds_of_no(
    questionnaire: Questionnaire, sentences: Sequence[TargetAnswers]
) -> tuple[tuple[str, int], ...]:
    criterion = questionnaire.criterion(questionnaire.result_criterion)
    kinds = [
        (level.label, sum(each.levels.count(level.value) for each in sentences))
        for level in criterion.levels[1:-1]
    ]
    if criterion.unless is not None:
        name, value = criterion.unless
        label = questionnaire.criterion(name).level(value).label
        kinds.append((label, sum(each.implied for each in sentences)))
    return tuple(kinds)
