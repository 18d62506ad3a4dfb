"""What happened to a run, and when."""

import math
from datetime import datetime

from django.db.models import Subquery

from pipeline.models import Revision, Run


def run_events(run: Run) -> list[tuple[datetime, str]]:
    """The events of the run, the latest first, as far as rows record them. One query."""
    ended = Revision.objects.filter(run=run, finished_at__isnull=False)
    times = ended.order_by("finished_at").values("finished_at")
    one = "question" if run.writes_answers else "passage"
    half = math.ceil(run.passage_count / 2)
    words = {1: f"First {one} done", half: f"Half of the {one}s done"}
    numbers = sorted(filter(None, words), reverse=True)
    found = Run.objects.filter(pk=run.pk).values_list(
        *(Subquery(times[number - 1 : number]) for number in numbers)
    )[0]
    return [
        *([(run.finished_at, run.get_state_display().capitalize())] if run.finished_at else []),
        *((time, words[number]) for number, time in zip(numbers, found, strict=True) if time),
        (run.started_at or run.created_at, "Started"),
    ]
