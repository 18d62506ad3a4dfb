"""The statistics of a campaign that judged answers, as those of a dataset of labelled ones."""

from annotation.exporting.labelled_answers import answers_of
from annotation.results.kept_figures import plan_figure
from pipeline.views.dataset_statistics import Statistics

STATISTICS = plan_figure("statistics", lambda campaign: Statistics.of(answers_of(campaign)))
