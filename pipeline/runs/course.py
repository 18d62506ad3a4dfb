"""The course of a run over time: what happened when, and how fast its passages ended."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils import timezone

from pipeline.models import Revision, Run

FEWEST = 20
"""Passages ended before a course of the rate says something."""
SHORTEST = timedelta(minutes=1)
EACH = 4
"""Passages in a step of time, on average; fewer would draw chance."""
MOST_STEPS = 40
MARKS = 4
"""Times that are written below it, beside its beginning."""


def ends_of(run: Run) -> list[datetime]:
    """When the run's passages ended, the first of them first. One query."""
    ended = Revision.objects.filter(run=run, finished_at__isnull=False).order_by("finished_at")
    # As text: Django's own conversion takes ten times as long, and there may be many.
    texts = ended.values_list(Cast("finished_at", TextField()), flat=True)
    times = map(datetime.fromisoformat, texts.iterator())
    return [time if time.tzinfo else time.replace(tzinfo=UTC) for time in times]


def run_events(run: Run, ended: Sequence[datetime]) -> list[tuple[datetime, str]]:
    """What happened to the run and when, the latest first, as far as its rows tell."""
    found = [(run.started_at or run.created_at, "Started")]
    half = math.ceil(run.passage_count / 2)
    one = "question" if run.writes_answers else "passage"
    marks = {1: f"First {one} done", half: f"Half of the {one}s done"}
    found += [
        (ended[place - 1], words) for place, words in marks.items() if 0 < place <= len(ended)
    ]
    if run.finished_at:
        found.append((run.finished_at, run.get_state_display().capitalize()))
    return found[::-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Passages a minute, or an hour, from step to step of a run, for a plot."""

    unit: str
    """minute or hour: the one of which the figures are at least one."""
    rates: tuple[float, ...]
    """Of steps equally long, which fill the time between `start` and `end`."""
    start: datetime
    end: datetime
    top: float
    """A round figure that no rate exceeds."""

    @property
    def step(self) -> timedelta:
        return (self.end - self.start) / len(self.rates)

    @property
    def clock(self) -> str:
        """How its times are written, as Django's `date` has it."""
        length = self.end - self.start
        if length < timedelta(minutes=10):
            return "H:i:s"
        return "H:i" if length < timedelta(days=1) else "j M, H:i"

    @property
    def overall(self) -> float:
        return sum(self.rates) / len(self.rates)

    @property
    def fastest(self) -> float:
        return max(self.rates)

    @property
    def slowest(self) -> float:
        return min(self.rates)

    @property
    def lines(self) -> list[tuple[float, float]]:
        """Round figures with their share of the height, from nothing to `top`."""
        return [(self.top * part / MARKS, 1 - part / MARKS) for part in range(MARKS + 1)]

    @property
    def marks(self) -> list[tuple[datetime, float]]:
        """Times with their share of the width, from `start` to `end`."""
        length = self.end - self.start
        return [(self.start + length * part / MARKS, part / MARKS) for part in range(MARKS + 1)]

    @property
    def points(self) -> str:
        """The line through the middles of the steps, for an SVG of 1000 by 1000."""
        width = 1000 / len(self.rates)
        middles = [(width * (place + 0.5), rate) for place, rate in enumerate(self.rates)]
        corners = [(0.0, self.rates[0]), *middles, (1000.0, self.rates[-1])]
        return " ".join(f"{x:.0f},{1000 - 1000 * rate / self.top:.0f}" for x, rate in corners)


def rate_course(run: Run, ended: Sequence[datetime]) -> Course | None:
    """How fast passages ended from the run's start on; None where too few have, or too quickly."""
    if len(ended) < FEWEST:
        return None
    start = min(run.started_at or run.created_at, ended[0])
    end = timezone.now() if run.state == Run.State.RUNNING else ended[-1]
    if end - start < SHORTEST:
        return None
    number = min(MOST_STEPS, len(ended) // EACH)
    step = (end - start) / number
    until = [bisect_right(ended, start + place * step) for place in range(1, number)]
    counts = [b - a for a, b in pairwise([0, *until, len(ended)])]
    minutes = step / timedelta(minutes=1)
    unit, scale = ("minute", 1) if max(counts) >= minutes else ("hour", 60)
    rates = tuple(scale * count / minutes for count in counts)
    return Course(unit=unit, rates=rates, start=start, end=end, top=round_up(max(rates)))


def round_up(value: float) -> float:
    """The least round figure that is no less: 4, 8, 12, 20 or 40, times a power of ten.

    A quarter of it is round, too.

    >>> round_up(9.3), round_up(12), round_up(130), round_up(0.7)
    (12.0, 12.0, 200.0, 0.8)
    """
    power = 10.0 ** math.floor(math.log10(value / 4))
    return float(
        next(f"{each * power:.6g}" for each in (4, 8, 12, 20, 40) if each * power >= value)
    )
