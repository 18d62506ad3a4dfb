"""The statistics of a campaign that judged answers, as those of a dataset of labelled ones."""

from annotation.exporting.labelled_answers import answers_of
from annotation.models import Campaign
from annotation.results.cached_figures import Figures
from pipeline.views.dataset_statistics import Statistics


def campaign_statistics(campaign: Campaign, figures: Figures) -> Statistics | None:
    """None if they are missing."""
    return figures.of(_statistics, campaign)


def _statistics(campaign: Campaign) -> Statistics:
    return Statistics.of(answers_of(campaign))
