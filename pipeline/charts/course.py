"""Work over time: how much there is day by day, how much is wanted, when it will be done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate

from pipeline.charts.chart import TICK, WIDE, Chart, Rows, Sheet

FEWEST_DAYS = 4
"""The axis is at least so long."""
STEPS = (1, 2, 7, 14, 28, 56, 91, 182, 365, 730)
"""Days between two ticks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    day: date
    n: int
    """Done on that day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """When it will be done, between two days at 95 %; `latest` is None where nobody can tell."""

    expected: date
    earliest: date
    latest: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Course(Chart):
    """Days in order; those without work need not be there."""

    days: tuple[Day, ...]
    wanted: int
    goal: str
    """What the line of what is wanted is called."""
    end: End | None = None

    @property
    def is_empty(self) -> bool:
        return not self.days

    @property
    def cells(self) -> Rows:
        """Day, on that day, in all."""
        totals = accumulate(each.n for each in self.days)
        return tuple(
            (each.day.isoformat(), each.n, total)
            for each, total in zip(self.days, totals, strict=True)
        )

    def height(self, width: int) -> int:
        return round(width * 0.5) if width >= WIDE else round(width * 0.8)

    def draw(self, sheet: Sheet) -> None:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        scheme = sheet.scheme
        axes = sheet.figure.subplots()
        sheet.dress(axes, x=self.x, y=self.y)
        colour = scheme.series[0]
        start = self.days[0].day
        # A day's work is done at its end.
        at, sums = [0], [0]
        for each in self.days:
            at.append((each.day - start).days + 1)
            sums.append(sums[-1] + each.n)
        axes.plot(at, sums, color=colour, linewidth=2)
        axes.plot(at[-1:], sums[-1:], color=colour, marker="o", markersize=6, clip_on=False)
        last = max(at[-1], FEWEST_DAYS)
        if self.end is not None:
            expected = (self.end.expected - start).days
            latest = (self.end.latest - start).days if self.end.latest else None
            last = max(last, expected, latest or 0)
            axes.plot(
                [at[-1], expected], [sums[-1], self.wanted], color=colour, linewidth=1.4,
                linestyle=(0, (1, 2)),
            )  # fmt: skip
            axes.plot(
                [(self.end.earliest - start).days, last if latest is None else latest],
                [self.wanted] * 2, color=colour, linewidth=1.6, clip_on=False,
            )  # fmt: skip
            axes.plot(
                [expected], [self.wanted], marker="o", markersize=7, color=colour,
                markerfacecolor=scheme.card, markeredgewidth=1.6, clip_on=False,
            )  # fmt: skip
        axes.set_xlim(0, last * 1.02)
        axes.set_ylim(0, max(self.wanted, sums[-1], 1) * 1.12)
        if self.wanted:
            axes.axhline(self.wanted, color=scheme.line, linewidth=1, linestyle=(0, (4, 3)))
            axes.annotate(
                self.goal, (0, self.wanted), xytext=(4, -13), textcoords="offset points",
                fontsize=TICK, color=scheme.muted,
            )  # fmt: skip
        most = 4 if sheet.is_narrow else 7
        step = next((step for step in STEPS if last / step < most), last)
        ticks = list(range(0, last + 1, step))
        axes.set_xticks(ticks)
        axes.set_xticklabels(
            [_name(start + timedelta(days=tick), is_long=last > 300) for tick in ticks]
        )
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _name(day: date, *, is_long: bool) -> str:
    """A tick's words.

    >>> _name(date(2026, 3, 2), is_long=False), _name(date(2026, 3, 2), is_long=True)
    ('2 Mar', 'Mar 2026')
    """
    return f"{day:%b %Y}" if is_long else f"{day.day} {day:%b}"
