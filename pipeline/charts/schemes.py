"""Color schemes of charts, tested to equal static/css/variables.css, and marks of series."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """Colours as hexadecimal sRGB."""

    ink: str
    muted: str
    rule: str
    line: str
    series: tuple[str, str, str, str, str]
    card: str
    """The background."""
    is_opaque: bool = False
    """The chart has the background, too."""


LIGHT = Scheme(
    ink="#1d2025",
    muted="#5b616b",
    rule="#dedad1",
    line="#868b94",
    series=("#0072b2", "#8c3f66", "#009e8c", "#a67c12", "#501b7b"),
    card="#ffffff",
)
DARK = Scheme(
    ink="#e8e6e1",
    muted="#a2a8b3",
    rule="#343941",
    line="#6f7681",
    series=("#56b4e9", "#cc6a8f", "#77f5c5", "#e3ac44", "#8279f0"),
    card="#1e2126",
)
SCHEMES = {"light": LIGHT, "dark": DARK, "print": replace(LIGHT, is_opaque=True)}


@dataclass(frozen=True, slots=True)
class SeriesMark:
    """The color and shape of a series, the same on every page."""

    colour: int | None
    """Index in the scheme's series; None for a grey baseline."""
    shape: str
    """matplotlib's marker."""
    is_hollow: bool = False

    def colour_in(self, scheme: Scheme) -> str:
        return scheme.line if self.colour is None else scheme.series[self.colour]

    def fill_in(self, scheme: Scheme) -> str:
        return scheme.card if self.is_hollow else self.colour_in(scheme)


KNOWN = {
    "rarr": SeriesMark(0, "o"),
    "rarr-no-agreement": SeriesMark(1, "s"),
    "rarr-query-input": SeriesMark(2, "D"),
    "rarr-query-sentence": SeriesMark(2, "P"),
    "lamda-research": SeriesMark(3, "v"),
    "efec": SeriesMark(4, "^"),
    "none": SeriesMark(None, "o", is_hollow=True),
    "unrevised": SeriesMark(None, "s", is_hollow=True),
}
"""The marks of systems."""
_SHAPES = ("o", "s", "D", "v", "^", "X", "P", "p", "<", ">", "h", "*", "d")


def choose_marks(names: Iterable[str]) -> dict[str, SeriesMark]:
    """Choose a mark for each name; other names than systems' get unused ones, in order.

    >>> [(mark.colour, mark.shape) for mark in choose_marks(["mine", "rarr"]).values()]
    [(0, 'X'), (0, 'o')]
    """
    free = (
        mark
        for offset in range(5)
        for index, shape in enumerate(_SHAPES)
        for mark in [SeriesMark((index + offset) % 5, shape)]
        if mark not in KNOWN.values()
    )
    return {
        name: KNOWN[name] if name in KNOWN else next(free, KNOWN["none"])
        for name in dict.fromkeys(names)
    }


def distinct_marks(points: Sequence[tuple[str, str]]) -> dict[str, SeriesMark]:
    """Choose a mark for each name of (series, name).

    The first of a series has its mark; each other has another shape in the same color.

    >>> [mark.shape for mark in distinct_marks([("rarr", "run 1"), ("rarr", "run 2")]).values()]
    ['o', 's']
    """
    of_series = choose_marks(series for series, _ in points)
    taken = {*KNOWN.values(), *of_series.values()}
    marks: dict[str, SeriesMark] = {}
    begun: set[str] = set()
    for series, name in points:
        mark = of_series[series]
        if series in begun:
            others = (replace(mark, shape=shape) for shape in _SHAPES)
            mark = next((other for other in others if other not in taken), mark)
        marks[name] = mark
        taken.add(mark)
        begun.add(series)
    return marks
