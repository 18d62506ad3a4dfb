"""Whether scores are calibrated: what people say by what the model gave, over the counts."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.charts.chart import TICK, WIDE, Chart, Rows, Sheet, Span

FEW = 5
"""A share of fewer things is drawn hollow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBin:
    """Things whose score lies from `low` to `high`."""

    low: float
    high: float
    score: float
    share: Span
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration(Chart):
    """Shares with their intervals beside the ideal line, and below how many each rests on."""

    counts: str
    """What the bars below count."""
    ideal: str
    bins: tuple[ScoreBin, ...]

    @property
    def is_empty(self) -> bool:
        return not self.bins

    @property
    def cells(self) -> Rows:
        """From, to, n, mean score, share, its low, its high."""
        return tuple((b.low, b.high, b.n, b.score, *b.share.cells) for b in self.bins)

    def height(self, width: int) -> int:
        return round(width * 0.62) if width >= WIDE else round(width * 1.05)

    def draw(self, sheet: Sheet) -> None:
        scheme = sheet.scheme
        shares, counts = sheet.figure.subplots(
            2, sharex=True, gridspec_kw={"height_ratios": (3.4, 1)}
        )
        sheet.dress(shares, y=self.y)
        sheet.dress(counts, x=self.x, y=self.counts)
        shares.set_xlim(0, 1)
        shares.set_ylim(0, 1)
        shares.plot((0, 1), (0, 1), color=scheme.line, linewidth=1, linestyle=(0, (4, 3)), zorder=2)
        shares.annotate(
            self.ideal, (0.62, 0.62), xytext=(-4, 4), textcoords="offset points", ha="right",
            fontsize=TICK, color=scheme.muted,
        )  # fmt: skip
        colour = scheme.series[0]
        for is_few, face in ((False, colour), (True, scheme.card)):
            own = [each for each in self.bins if (each.n < FEW) is is_few]
            if not own:
                continue
            shares.errorbar(
                [each.score for each in own], [each.share.value for each in own],
                yerr=list(zip(*(each.share.arms for each in own), strict=True)),
                fmt="o", color=colour, ecolor=colour, markersize=6.5, markerfacecolor=face,
                elinewidth=1.4 if not is_few else 0.8, clip_on=False,
            )  # fmt: skip
        counts.bar(
            [each.low for each in self.bins], [each.n for each in self.bins],
            width=[(each.high - each.low) * 0.9 for each in self.bins], align="edge",
            color=scheme.line, alpha=0.75,
        )  # fmt: skip
        from matplotlib.ticker import MaxNLocator

        counts.set_ylim(0, max(each.n for each in self.bins) * 1.05)
        counts.yaxis.set_major_locator(MaxNLocator(2, integer=True))
