"""The charts of a campaign: which there are, which of them its questionnaire can give."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Count, Max
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from annotation.charts import edits, raters, sentence_scores, tradeoff
from annotation.models import Adjudication, Campaign
from annotation.questionnaires import questionnaire_of
from annotation.results.cache import cached_figure
from annotation.results.joined import joined_rows
from annotation.results.joined_revisions import KINDS
from annotation.results.reliability import state_of_work
from pipeline.charts.chart import Chart
from pipeline.pages.charts import ChartPlan

if TYPE_CHECKING:
    from pipeline.metrics.validity import Scored


class Shown(NamedTuple):
    """What a chart is of."""

    campaign: Campaign
    phase: str
    """Empty for all phases together."""


def _asks(*kinds: str) -> Callable[[Shown], bool]:
    return lambda shown: shown.campaign.questionnaire in kinds


def _scored(shown: Shown) -> list[Scored]:
    return sentence_scores.scored_sentences(shown.campaign, shown.phase)


CHARTS: tuple[ChartPlan[Shown], ...] = (
    ChartPlan(
        name="tradeoff",
        title=_("Which system attributes most and keeps most?"),
        waits=_("A point for each system, once a run has figures of both."),
        make=lambda shown: tradeoff.tradeoff_chart(joined_rows([shown.campaign])),
        fits=_asks(*KINDS),
    ),
    ChartPlan(
        name="agreement",
        title=_("Does auto-AIS tell what raters say?"),
        waits=_("The scores of sentences by what raters say, once some are judged."),
        make=lambda shown: sentence_scores.agreement_chart(_scored(shown)),
        fits=_asks("attribution"),
    ),
    ChartPlan(
        name="calibration",
        title=_("Is auto-AIS calibrated?"),
        waits=_("What raters say by auto-AIS score, once some sentences are judged."),
        make=lambda shown: sentence_scores.calibration_chart(_scored(shown)),
        fits=_asks("attribution"),
    ),
    ChartPlan(
        name="edit-sizes",
        title=_("How much does each system change?"),
        waits=_("The share of the text that each revision changed, once passages are revised."),
        make=lambda shown: edits.edit_sizes_chart(shown.campaign),
        fits=_asks(*KINDS),
    ),
    ChartPlan(
        name="transitions",
        title=_("What becomes of sentences, by raters?"),
        waits=_("Sentences that become attributed or stop being so, once both sides are judged."),
        make=lambda shown: edits.transitions_chart(
            shown.campaign,
            edits.moves_by_raters(shown.campaign, shown.phase),
            by=gettext("As raters judge"),
        ),
        fits=lambda shown: (
            _asks("attribution")(shown) and shown.campaign.sides == Campaign.Side.BOTH
        ),
    ),
    ChartPlan(
        name="transitions-auto",
        title=_("What becomes of sentences, by auto-AIS?"),
        waits=_("Sentences that become attributed or stop being so, once passages are scored."),
        make=lambda shown: edits.transitions_chart(
            shown.campaign, edits.moves_by_model(shown.campaign), by=gettext("As auto-AIS scores")
        ),
        fits=_asks(*KINDS),
    ),
    ChartPlan(
        name="reliability",
        title=_("Do raters agree?"),
        waits=_("Alpha and its like, once two raters have judged the same item."),
        make=lambda shown: raters.reliability_chart(shown.campaign, shown.phase),
        fits=lambda shown: bool(questionnaire_of(shown.campaign).comparable_criteria()),
    ),
    ChartPlan(
        name="course",
        title=_("How does the work go on?"),
        waits=_("Submissions day by day, once something is handed in."),
        make=lambda shown: raters.course_chart(shown.campaign, shown.phase),
    ),
)
BY_NAME = {plan.name: plan for plan in CHARTS}


def charts_of(campaign: Campaign) -> list[ChartPlan[Shown]]:
    """Those that its questionnaire can give."""
    return [plan for plan in CHARTS if plan.fits(Shown(campaign, ""))]


def campaign_chart(campaign: Campaign, name: str, *, phase: str, state: str) -> Chart | None:
    """The chart of that name, counted or from the cache; None where there is nothing to draw.

    Raises KeyError for a name that the campaign has no chart of.
    """
    plan = BY_NAME[name]
    if not plan.fits(Shown(campaign, phase)):
        raise KeyError(name)
    return cached_figure(
        f"chart.{name}.{phase}.{get_language()}",
        campaign,
        lambda: plan.make(Shown(campaign, phase)),
        state_of=lambda: state,
    ).value


def state_of_charts(campaign: Campaign) -> str:
    """Changes with whatever a rater or an adjudicator does. Two queries."""
    settled = Adjudication.objects.filter(item__campaign=campaign).aggregate(
        n=Count("pk"), last=Max("updated_at")
    )
    return f"{state_of_work(campaign)}:{settled['n']}:{settled['last']}"
