"""The statistics of a campaign that judged answers, as those of a dataset of labelled ones."""

from annotation.exporting.labelled_answers import CAMPAIGN, answers_of
from annotation.models import Campaign
from annotation.results.cached_figures import Figures
from pipeline.data.similarities import job_of, subject_of, with_scores
from pipeline.models import SimilarityJob
from pipeline.views.dataset_statistics import Statistics


def campaign_statistics(campaign: Campaign, figures: Figures) -> Statistics | None:
    """None if they are missing."""
    job = _job(campaign)
    return figures.of(_statistics, campaign, job and job.finished_at)


def _statistics(campaign: Campaign, _finished_at: object) -> Statistics:
    return Statistics.of(with_scores(answers_of(campaign), _job(campaign)))


def _job(campaign: Campaign) -> SimilarityJob | None:
    return job_of(subject_of(CAMPAIGN, campaign.pk))
