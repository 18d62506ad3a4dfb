"""The charts of a campaign, by its questionnaire."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.utils.text import capfirst

from annotation.charts import tradeoff
from annotation.exporting.context import ExportContext
from annotation.exporting.item_reader import read_items
from annotation.exporting.judged_items import JudgedItem
from annotation.models import Campaign, Item
from annotation.questionnaires import questionnaire_of
from annotation.results.answers import answers_by_side, in_phase
from annotation.results.by_questionnaire import judged_pairs
from annotation.results.cached_figures import FigureCache, is_large
from annotation.results.joined import joined_rows
from annotation.results.joined_revisions import JOINED
from annotation.results.labels import ANSWER_RULES
from annotation.results.reliability import GroupReliability, campaign_reliability
from pipeline.charts.chart import Chart, ChartValue
from pipeline.charts.distributions import Distributions, spread_of
from pipeline.charts.intervals import Entry, Intervals, Row
from pipeline.importing.hagrid import line_key
from pipeline.metrics.answer_statistics import LABELS, LabelledAnswer, LabelledSentence
from pipeline.pages.charts import ChartPlan, with_interval
from pipeline.views.datasets import Statistics

if TYPE_CHECKING:
    from pipeline.metrics.reliability import Reliability
    from pipeline.metrics.validity import Scored, Validity


def scored_sentences(campaign: Campaign, phase: str) -> list[Scored]:
    """Read the judged sentences with a score; clusters are passages. Three queries."""
    from pipeline.metrics.validity import Scored

    questionnaire = questionnaire_of(campaign)
    criterion = questionnaire.criterion(questionnaire.result_criterion)
    answers = answers_by_side(criterion, **in_phase(campaign, phase))
    rows = (
        Item.objects.filter(campaign=campaign)
        .order_by("position")
        .values_list("side", "revision_id", "passage_id", "sentences", "revision__sentences")
    )
    scored = []
    for side, revision, passage, sentences, scores in rows.iterator():
        of_item = answers.get(side, {}).get(revision)
        if not of_item:
            continue
        known = {
            (each["start"], each["end"]): each["entailed"]
            for each in scores.get(side) or []
            if each.get("entailed") is not None
        }
        for number, sentence in enumerate(sentences):
            score = known.get((sentence["start"], sentence["end"]))
            if score is not None and number in of_item:
                scored.append(
                    Scored(score=score, human_share=of_item[number].share, cluster=passage)
                )
    return scored


def scored_pairs(campaign: Campaign, phase: str) -> list[Scored]:
    """Read the judged pairs with Pres_Lev as the score; clusters are passages."""
    from pipeline.metrics.validity import Scored

    return [
        Scored(score=lev, human_share=intent, cluster=sample.cluster)
        for sample, intent, lev in judged_pairs(campaign, phase)
        if lev is not None and intent is not None
    ]


def agreement_chart(
    scored: list[Scored],
    *,
    title: str = "Raters and auto-AIS, sentence by sentence",
    x: str = "Auto-AIS score of the sentence",
    yes: str = "attributable",
    noun: str = "sentences",
) -> Distributions | None:
    """Chart the scores of what raters answered with `yes`, and of the others."""
    from pipeline.metrics.validity import validity

    spreads = [
        spread_of(name, [each.score for each in scored if each.label is label], low=0, high=1)
        for name, label in ((f"Raters: {yes}", True), (f"Raters: not {yes}", False))
    ]
    groups = tuple(each for each in spreads if each)
    if not groups:
        return None
    return Distributions(
        title=title,
        finding=(
            f"{_figures(validity(scored), noun)}. Shapes are the scores "
            "of each group, lines their medians, bars their quartiles."
        ),
        x=x,
        groups=groups,
        low=0,
        high=1,
        head=("Group", "n", "first quartile", "median", "third quartile", "mean"),
    )


def _figures(figures: Validity, noun: str) -> str:
    named = {
        "Pearson’s r": figures.pearson,
        "Spearman’s ρ": figures.spearman,
        "ROC AUC": figures.auc,
    }
    parts = [
        f"{name} {with_interval(estimate) if estimate else 'not defined'}"
        for name, estimate in named.items()
    ]
    return ", ".join([*parts, f"n = {figures.n:,} {noun} of {figures.clusters:,} passages"])


def reliability_chart(campaign: Campaign, phase: str) -> Intervals | None:
    """Chart raw agreement, alpha and AC1 by criterion, side and system."""
    reliability = campaign_reliability(campaign, phase=phase)
    rows = [
        Row(
            name=_row_name(each.criterion.name, group),
            entries=(
                _entry("raw agreement", group.report.raw),
                _entry("Krippendorff’s alpha", each.alpha(group.report)),
                _entry("Gwet’s AC1", group.report.gwet_ac1),
            ),
        )
        for each in reliability.criteria
        for group in each.groups
        if group.report.raw.targets
    ]
    if not rows:
        return None
    alpha = rows[0].entries[1]
    return Intervals(
        title="Reliability between raters",
        finding=(
            f"Krippendorff’s alpha of “{rows[0].name}” is "
            f"{with_interval(alpha.span) if alpha.span else 'undefined'}, n = {alpha.n:,} "
            "compared. Bars are 95 % intervals; but for raw agreement 0 is chance, 1 is full "
            "agreement."
        ),
        x="Agreement",
        rows=tuple(rows),
        low=0,
        high=1,
        head=("Answers", "Figure", "compared", "value", "low", "high", "note"),
        has_baseline=True,
    )


def _row_name(criterion: str, group: GroupReliability) -> str:
    part = group.runs.label if group.runs else group.side
    return ", ".join(filter(None, [capfirst(criterion.replace("_", " ")), part]))


def _entry(series: str, figure: Reliability) -> Entry:
    span = None
    if figure.value is not None:
        span = ChartValue(value=figure.value, low=figure.low, high=figure.high, note=figure.note)
    return Entry(series=series, span=span, n=figure.targets)


class ChartInput(NamedTuple):
    campaign: Campaign
    phase: str
    """Empty for all phases."""


CHARTS: tuple[ChartPlan[ChartInput], ...] = (
    ChartPlan(
        name="tradeoff",
        title="Attribution and preservation",
        empty_text="A point for each system, once a run has figures of both.",
        make=lambda given: tradeoff.tradeoff_chart(joined_rows([given.campaign])),
        fits=lambda given: given.campaign.questionnaire in JOINED,
    ),
    ChartPlan(
        name="agreement",
        title="Auto-AIS scores by raters’ answers",
        empty_text="Scores of sentences, once some are judged.",
        make=lambda given: agreement_chart(scored_sentences(*given)),
        fits=lambda given: given.campaign.questionnaire == "attribution",
    ),
    ChartPlan(
        name="preservation",
        title="Pres_Lev by raters’ answers",
        empty_text="Pres_Lev of pairs, once some are judged.",
        make=lambda given: agreement_chart(
            scored_pairs(*given),
            title="Raters and Pres_Lev, pair by pair",
            x="Pres_Lev of the pair",
            yes="very similar",
            noun="pairs",
        ),
        fits=lambda given: given.campaign.questionnaire == "intent",
    ),
    ChartPlan(
        name="reliability",
        title="Reliability between raters",
        empty_text="Alpha and other figures, once two raters have judged the same item.",
        make=lambda given: reliability_chart(*given),
        fits=lambda given: bool(questionnaire_of(given.campaign).comparable_criteria()),
    ),
)


def charts_of(campaign: Campaign) -> list[ChartPlan[ChartInput]]:
    """Return the charts that fit its questionnaire."""
    return [plan for plan in CHARTS if plan.fits(ChartInput(campaign, ""))]


def campaign_charts(campaign: Campaign, phase: str) -> dict[str, Chart | None]:
    """Make all charts by name; None where there is nothing to draw."""
    return {plan.name: plan.make(ChartInput(campaign, phase)) for plan in charts_of(campaign)}


def campaign_chart(campaign: Campaign, name: str, phase: str, cache: FigureCache) -> Chart | None:
    """Make a chart; None where there is nothing to draw or figures are missing.

    Raises KeyError where the campaign has no such chart.
    """
    plan = {plan.name: plan for plan in charts_of(campaign)}[name]
    if not is_large(campaign):
        return plan.make(ChartInput(campaign, phase))
    return (cache.get(campaign_charts, campaign, phase) or {}).get(name)


def campaign_statistics(campaign: Campaign) -> Statistics:
    return Statistics.of(answers_of(campaign))


def answers_of(campaign: Campaign) -> list[LabelledAnswer]:
    """An answer for each item, by run and side, with the raters' labels."""
    return [
        _answer(item).lean
        for item in read_items(ExportContext(campaign=campaign), with_import=True)
    ]


def _answer(item: JudgedItem) -> LabelledAnswer:
    cited: list[list[int]] = [[] for _ in item.sentences]
    for citation in item.citations:
        cited[citation["sentence"]].append(citation["evidence"])
    labels = [
        {name: item.answers(name, number).label for name in LABELS}
        for number in range(len(item.sentences))
    ]
    return LabelledAnswer(
        id=item.passage_id,
        question=f"{item.dataset}/{line_key(item.passage_id, item.passage_format)}",
        text=item.text,
        quotes=tuple(str(each["text"]) for each in item.evidence),
        cited=tuple(dict.fromkeys(position for each in cited for position in each)),
        labels={name: ANSWER_RULES[name]([each[name] for each in labels]) for name in LABELS},
        sentences=tuple(
            LabelledSentence(text=text, labels=of_one, cited=tuple(places))
            for text, of_one, places in zip(item.sentences, labels, cited, strict=True)
        ),
        group=f"{item.system}, run {item.run}, {item.side}",
    )
