"""The head of a run's pages."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from pipeline.figures.progress import Progress, progress_of
from pipeline.generation.answer_format import VIOLATIONS
from pipeline.models import Run
from pipeline.runs import lifecycle
from rarrweb.web.tabs import tabs_of

ROWS = "pipeline:run-revisions"


def run_head(run: Run, *, tab: str) -> dict[str, Any]:
    """Return the context of `_run_head.html`."""
    together = lifecycle.started_together(run)
    progresses = progress_of(together or [run], rate_of=run)
    progress = progresses[run.pk]
    chosen = [("run", str(each.pk)) for each in together or [run]]
    return {
        "run": run,
        "progress": progress,
        "progress_of": progresses,
        "together": together,
        "compare_query": urlencode(chosen),
        "campaign_query": urlencode(chosen + (_of_answers(together) if run.writes_answers else [])),
        "next_step": next_step(run, progress, is_alone=not together),
        "tabs": tabs_of(
            _tabs(run),
            run.pk,
            current=f"pipeline:{tab}",
            counts={ROWS: run.passage_count},
        ),
    }


def _of_answers(together: Sequence[Run]) -> list[tuple[str, str]]:
    """Return HAGRID's labels and filter for a new campaign."""
    values = [("questionnaire", "answer_quality"), ("sides", "before")]
    values += [("excluded_problems", problem) for problem in VIOLATIONS]
    return values + ([("may_repeat_passages", "on")] if together else [])


def _tabs(run: Run) -> dict[str, str]:
    tabs = {"pipeline:run": "Overview", ROWS: "Answers" if run.shows_answers else "Passages"}
    if not run.is_unrevised and not run.is_imported:
        tabs["pipeline:run-cost"] = "Cost"
    if not run.is_unrevised:
        tabs["pipeline:run-configuration"] = "Configuration"
    return tabs


def next_step(run: Run, progress: Progress, *, is_alone: bool) -> str:
    """Return the primary action, or "" if the page asks for one."""
    if run.state == Run.State.PAUSED:
        return "" if run.pause_reason else "resume"
    if run.state == Run.State.RUNNING:
        return "review" if progress.done else "pause"
    if progress.done:
        return "campaign" if is_alone else "compare"
    return "retry" if progress.failed and run.state != Run.State.CANCELLED else "again"
