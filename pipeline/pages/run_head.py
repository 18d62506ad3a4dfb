"""The head of a run's pages: what it is, its state, the next step, and the tabs."""

from typing import Any
from urllib.parse import urlencode

from pipeline.models import Run
from pipeline.runs import lifecycle
from pipeline.runs.progress import Progress, progress_of
from rarrweb.tabs import tabs_of

OF_ALL = {
    "pipeline:run": "Overview",
    "pipeline:run-revisions": "Passages",
}
"""The tabs that a dataset as it is has, too."""
OF_IMPORTED = {**OF_ALL, "pipeline:run-configuration": "Configuration"}
TABS = {
    **OF_ALL,
    "pipeline:run-cost": "Cost",
    "pipeline:run-configuration": "Configuration",
}


def run_head(run: Run, *, tab: str) -> dict[str, Any]:
    """What `_run_head.html` needs on the run's tab with that address."""
    together = lifecycle.started_together(run)
    progresses = progress_of(together or [run], rate_of=run)
    progress = progresses[run.pk]
    return {
        "run": run,
        "progress": progress,
        "progress_of": progresses,
        "together": together,
        "compare_query": urlencode([("run", each.pk) for each in together or [run]]),
        "next_step": next_step(run, progress, is_alone=not together),
        "tabs": tabs_of(
            OF_ALL if run.is_as_it_is else OF_IMPORTED if run.is_imported else TABS,
            run.pk,
            current=f"pipeline:{tab}",
            counts={"pipeline:run-revisions": run.passage_count},
        ),
    }


def next_step(run: Run, progress: Progress, *, is_alone: bool) -> str:
    """The one thing to do now: pause, resume, review, retry, compare, campaign or again.

    "" where the page itself asks, as for a budget.
    """
    if run.state == Run.State.PAUSED:
        return "" if run.pause_reason else "resume"
    if run.state == Run.State.RUNNING:
        return "review" if progress.done else "pause"
    if progress.done:
        return "campaign" if is_alone else "compare"
    return "retry" if progress.failed and run.state != Run.State.CANCELLED else "again"
