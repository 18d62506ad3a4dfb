"""Names beside points, placed so that none lies on another name, on a point or outside."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import hypot
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

REACHES = (11, 16, 24, 36, 50, 70, 95)
"""How far from its point a name may begin, in pixels, the nearest first."""
SIDES = ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1))
GAP = 4
"""Between two names, in pixels."""
STRUCK = 60
"""What it costs to lie on a line: more than to stand further off."""
RADIUS = 7
"""Of what a point covers, in pixels."""


class Box(NamedTuple):
    """In pixels, from the lower left."""

    left: float
    low: float
    right: float
    high: float

    def overlap(self, other: Box) -> float:
        """The area that both cover."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        tall = min(self.high, other.high) - max(self.low, other.low)
        return max(wide, 0.0) * max(tall, 0.0)

    def grown(self, by: float) -> Box:
        return Box(self.left - by, self.low - by, self.right + by, self.high + by)

    def lies_in(self, other: Box) -> bool:
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.low >= other.low
            and self.high <= other.high
        )


def place_names(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    *,
    bounds: Box,
    lines: Sequence[Box] = (),
    taken: Sequence[Box] = (),
) -> list[Box] | None:
    """A place for each name of so many pixels; None where they do not all fit.

    No name covers a point, another name or what is `taken`; on `lines` it lies where it must.

    >>> place_names([(50, 50)], [(30, 10)], bounds=Box(0, 0, 100, 100))
    [Box(left=61, low=45.0, right=91, high=55.0)]
    >>> place_names([(50, 50)], [(300, 10)], bounds=Box(0, 0, 100, 100)) is None
    True
    """
    covered = [Box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in points]
    covered += taken
    placed: dict[int, Box] = {}
    # Those with most neighbours first: they have the least choice.
    crowded = sorted(
        range(len(points)),
        key=lambda i: sum(
            abs(points[i][0] - x) < 90 and abs(points[i][1] - y) < 30 for x, y in points
        ),
        reverse=True,
    )
    for which in crowded:
        best: tuple[float, Box] | None = None
        for cost, (reach, (right, up)) in enumerate(product(REACHES, SIDES)):
            box = _beside(points[which], sizes[which], reach, right, up)
            if not box.lies_in(bounds) or any(
                box.overlap(other)
                for other in (*covered, *(each.grown(GAP) for each in placed.values()))
            ):
                continue
            struck = sum(box.overlap(line) for line in lines)
            cost_here = cost + (struck + STRUCK if struck else 0)
            own = _distance(box, points[which])
            if any(_distance(box, point) < own for point in points):
                cost_here += 50  # nearer to another point, and so taken for its name
            if best is None or cost_here < best[0]:
                best = (cost_here, box)
        if best is None:
            return None
        placed[which] = best[1]
    return [placed[which] for which in range(len(points))]


def _beside(
    point: tuple[float, float], size: tuple[float, float], reach: float, right: int, up: int
) -> Box:
    x, y = point
    wide, tall = size
    # On a diagonal both steps are shorter, so that the name is as near as beside the point.
    step = reach if not (right and up) else reach * 0.6
    left = x + step if right > 0 else x - step - wide if right < 0 else x - wide / 2
    low = y + step if up > 0 else y - step - tall if up < 0 else y - tall / 2
    return Box(left, low, left + wide, low + tall)


def _distance(box: Box, point: tuple[float, float]) -> float:
    x, y = point
    return hypot(
        x - min(max(x, box.left), box.right),
        y - min(max(y, box.low), box.high),
    )


def write_names(
    axes: Axes,
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    *,
    colour: str,
    size: float,
    lines: Sequence[Box] = (),
    taken: Sequence[Text] = (),
) -> bool:
    """Write `names` at `points` (pixels), with a thin line to those that stand further off.

    False, and nothing is written, where they do not all fit.
    """
    figure = axes.figure
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]  # of the Agg canvas
    texts = [
        axes.text(0, 0, name, fontsize=size, color=colour, transform=None, va="bottom", zorder=6)
        for name in names
    ]
    extents = [text.get_window_extent(renderer) for text in texts]
    bounds = Box(*axes.bbox.extents)
    sizes = [(extent.width, extent.height) for extent in extents]
    others = [Box(*text.get_window_extent(renderer).extents) for text in taken]
    places = place_names(points, sizes, bounds=bounds, lines=lines, taken=others)
    if places is None:
        for text in texts:
            text.remove()
        return False
    to_axes = axes.transAxes.inverted()
    for text, (x, y), box in zip(texts, points, places, strict=True):
        text.set_transform(axes.transAxes)
        text.set_position(tuple(to_axes.transform((box.left, box.low))))
        text.set_in_layout(False)
        if _distance(box, (x, y)) > REACHES[1] + 4:
            nearest = min(max(x, box.left), box.right), min(max(y, box.low), box.high)
            ends = to_axes.transform([(x, y), nearest])
            axes.plot(
                ends[:, 0], ends[:, 1], color=colour, linewidth=0.6, alpha=0.6,
                transform=axes.transAxes, zorder=3, in_layout=False,
            )  # fmt: skip
    return True
