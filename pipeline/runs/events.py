"""What happened to a run, and when."""

import math
from datetime import datetime

from pipeline.models import Revision, Run


def run_events(run: Run) -> list[tuple[datetime, str]]:
    """The run's events, the latest first, as far as its rows record them. At most two queries."""
    events = [(run.started_at or run.created_at, "Started")]
    ended = Revision.objects.filter(run=run, finished_at__isnull=False)
    times = ended.order_by("finished_at").values_list("finished_at", flat=True)
    half = math.ceil(run.passage_count / 2)
    one = "question" if run.writes_answers else "passage"
    for number, words in {1: f"First {one} done", half: f"Half of the {one}s done"}.items():
        if number:
            events += [(time, words) for time in times[number - 1 : number]]
    if run.finished_at:
        events.append((run.finished_at, run.get_state_display().capitalize()))
    return events[::-1]
