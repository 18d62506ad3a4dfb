"""The charts of a campaign, by its questionnaire."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from annotation.charts import raters, sentence_scores, tradeoff
from annotation.models import Campaign
from annotation.questionnaires import questionnaire_of
from annotation.results.cached_figures import Figures, is_large
from annotation.results.joined import joined_rows
from annotation.results.joined_revisions import KINDS
from pipeline.charts.chart import Chart
from pipeline.pages.charts import ChartPlan

if TYPE_CHECKING:
    from pipeline.metrics.validity import Scored


class ChartInput(NamedTuple):
    campaign: Campaign
    phase: str
    """Empty for all phases."""


def _has_questionnaire(*kinds: str) -> Callable[[ChartInput], bool]:
    return lambda given: given.campaign.questionnaire in kinds


def _scored(given: ChartInput) -> list[Scored]:
    return sentence_scores.scored_sentences(given.campaign, given.phase)


CHARTS: tuple[ChartPlan[ChartInput], ...] = (
    ChartPlan(
        name="tradeoff",
        title="Attribution and preservation of each system",
        empty_text="A point for each system, once a run has figures of both.",
        make=lambda given: tradeoff.tradeoff_chart(joined_rows([given.campaign])),
        fits=_has_questionnaire(*KINDS),
    ),
    ChartPlan(
        name="agreement",
        title="Auto-AIS scores by raters’ answers",
        empty_text="Scores of sentences, once some are judged.",
        make=lambda given: sentence_scores.agreement_chart(_scored(given)),
        fits=_has_questionnaire("attribution"),
    ),
    ChartPlan(
        name="reliability",
        title="Reliability between raters",
        empty_text="Alpha and other figures, once two raters have judged the same item.",
        make=lambda given: raters.reliability_chart(given.campaign, given.phase),
        fits=lambda given: bool(questionnaire_of(given.campaign).comparable_criteria()),
    ),
)


def charts_of(campaign: Campaign) -> list[ChartPlan[ChartInput]]:
    """Return the charts that fit its questionnaire."""
    return [plan for plan in CHARTS if plan.fits(ChartInput(campaign, ""))]


def campaign_charts(campaign: Campaign, phase: str) -> dict[str, Chart | None]:
    """Make all charts by name; None where there is nothing to draw."""
    return {plan.name: plan.make(ChartInput(campaign, phase)) for plan in charts_of(campaign)}


def campaign_chart(campaign: Campaign, name: str, phase: str, figures: Figures) -> Chart | None:
    """Make a chart; None where there is nothing to draw or figures are missing.

    Raises KeyError where the campaign has no such chart.
    """
    plan = {plan.name: plan for plan in charts_of(campaign)}[name]
    if not is_large(campaign):
        return plan.make(ChartInput(campaign, phase))
    return (figures.of(campaign_charts, campaign, phase) or {}).get(name)
