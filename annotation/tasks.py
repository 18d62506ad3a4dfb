"""What a worker may be asked to do for campaigns; see pipeline.jobs.queue.

Only a worker imports this module, so its sweep learns here what to look for.
"""

from annotation.exporting import (
    jobs,
    labelled_answers,  # noqa: F401 - tells how a campaign's answers are found
)
from pipeline.workers import recovery
from rarrweb.celery import app

recovery.JOBS.append(recovery.Job(task=jobs.WRITE_EXPORT, waiting=jobs.waiting_exports))
recovery.CLEANERS.append(jobs.forget_old_exports)


@app.task(name=jobs.WRITE_EXPORT)
def write_export(job_id: int) -> None:
    jobs.process_export(job_id)
