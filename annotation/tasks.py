"""What a worker may be asked to do for campaigns; see pipeline.jobs.queue.

Only a worker imports this module, so its sweep learns here what to look for.
"""

from annotation.adjudication import cases  # noqa: F401 - plans figures, as do the next three
from annotation.campaigns import figures  # noqa: F401
from annotation.charts import registry, statistics  # noqa: F401
from annotation.exporting import labelled_answers  # noqa: F401 - how a campaign's answers are found
from annotation.results import (
    kept_figures,
    kept_joined,  # noqa: F401
    reliability,  # noqa: F401 - plans figures, too
    revision_votes,  # noqa: F401
)
from pipeline.workers import recovery
from rarrweb.celery import app

recovery.JOBS.append(
    recovery.Job(task=kept_figures.COUNT_FIGURE, waiting=kept_figures.waiting_figures)
)
recovery.CLEANERS.append(kept_figures.forget_old_figures)


@app.task(name=kept_figures.COUNT_FIGURE)
def count_figure(pk: int) -> None:
    kept_figures.process_figure(pk)
