"""The statistics of a campaign that judged answers, as those of a dataset of labelled ones."""

from annotation.exporting.labelled_answers import CAMPAIGN, answers_of
from annotation.models import Campaign
from annotation.results.kept_figures import plan_figure
from annotation.results.work_states import state_of_figures
from pipeline.data.similarities import job_of, subject_of, with_scores
from pipeline.models import SimilarityJob
from pipeline.views.dataset_statistics import Statistics


def _job(campaign: Campaign) -> SimilarityJob | None:
    return job_of(subject_of(CAMPAIGN, campaign.pk))


def _state(campaign: Campaign) -> str:
    job = _job(campaign)
    return f"{state_of_figures(campaign)}:{job and job.finished_at}"


STATISTICS = plan_figure(
    "statistics",
    lambda campaign: Statistics.of(with_scores(answers_of(campaign), _job(campaign))),
    work_of=_state,
)
