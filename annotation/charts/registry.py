"""The charts of a campaign: which there are, which of them its questionnaire can give."""

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


class Drawn(NamedTuple):
    """What a chart is of."""

    campaign: Campaign
    phase: str
    """Empty for all phases together."""


def _asks(*kinds: str) -> Callable[[Drawn], bool]:
    return lambda shown: shown.campaign.questionnaire in kinds


def _scored(shown: Drawn) -> list[Scored]:
    return sentence_scores.scored_sentences(shown.campaign, shown.phase)


CHARTS: tuple[ChartPlan[Drawn], ...] = (
    ChartPlan(
        name="tradeoff",
        title="Which system attributes most and keeps most?",
        empty_text="A point for each system, once a run has figures of both.",
        make=lambda shown: tradeoff.tradeoff_chart(joined_rows([shown.campaign])),
        fits=_asks(*KINDS),
    ),
    ChartPlan(
        name="agreement",
        title="Does auto-AIS tell what raters say?",
        empty_text="The scores of sentences by what raters say, once some are judged.",
        make=lambda shown: sentence_scores.agreement_chart(_scored(shown)),
        fits=_asks("attribution"),
    ),
    ChartPlan(
        name="reliability",
        title="Do raters agree?",
        empty_text="Alpha and its like, once two raters have judged the same item.",
        make=lambda shown: raters.reliability_chart(shown.campaign, shown.phase),
        fits=lambda shown: bool(questionnaire_of(shown.campaign).comparable_criteria()),
    ),
)
BY_NAME = {plan.name: plan for plan in CHARTS}


def charts_of(campaign: Campaign) -> list[ChartPlan[Drawn]]:
    """Those that its questionnaire can give."""
    return [plan for plan in CHARTS if plan.fits(Drawn(campaign, ""))]


def campaign_charts(campaign: Campaign, phase: str) -> dict[str, Chart | None]:
    """All charts that its questionnaire can give, by name; None where there is nothing to draw."""
    return {plan.name: plan.make(Drawn(campaign, phase)) for plan in charts_of(campaign)}


def campaign_chart(campaign: Campaign, name: str, phase: str, figures: Figures) -> Chart | None:
    """The chart of that name; None where there is nothing to draw, or the figures are missing.

    Raises KeyError for a name that the campaign has no chart of.
    """
    plan = BY_NAME[name]
    if not plan.fits(Drawn(campaign, phase)):
        raise KeyError(name)
    if not is_large(campaign):
        return plan.make(Drawn(campaign, phase))
    return (figures.of(campaign_charts, campaign, phase) or {}).get(name)
