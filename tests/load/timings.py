"""Durations of requests, with percentiles."""

import math
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence

ORDER = ("log in", "claim", "task page", "next task", "save", "submit", "leave")
"""`next task` is what a rater waits for: the submission, which claims, and then the page."""


class Timings:
    """Seconds by kind of request; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seconds: dict[str, list[float]] = defaultdict(list)

    def add(self, what: str, seconds: float) -> None:
        with self._lock:
            self._seconds[what].append(seconds)

    def of(self, what: str) -> list[float]:
        return sorted(self._seconds.get(what, []))

    def all(self) -> dict[str, list[float]]:
        return {name: self.of(name) for name in self.names}

    @property
    def names(self) -> list[str]:
        known = [name for name in ORDER if name in self._seconds]
        return known + sorted(self._seconds.keys() - set(known))


def percentile(ordered: Sequence[float], share: float) -> float:
    """The least value that `share` of `ordered` does not exceed.

    >>> percentile([1.0, 2.0, 3.0, 4.0], 0.5), percentile([1.0, 2.0, 3.0, 4.0], 0.95)
    (2.0, 4.0)
    """
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def table(columns: Mapping[str, Timings]) -> str:
    """Format n, p50, p95, p99 and maximum in milliseconds, a group per column."""
    names = list(dict.fromkeys(name for timings in columns.values() for name in timings.names))
    head = f"{'':<20}" + "".join(f"{title:>50}" for title in columns)
    units = f"{'ms':<20}" + f"{'n':>10}{'p50':>10}{'p95':>10}{'p99':>10}{'max':>10}" * len(columns)
    rows = [head, units]
    for name in names:
        cells = [_cells(timings.of(name)) for timings in columns.values()]
        rows.append(f"{name:<20}" + "".join(cells))
    return "\n".join(rows)


def _cells(ordered: Sequence[float]) -> str:
    if not ordered:
        return f"{'–':>50}"
    figures = [percentile(ordered, share) for share in (0.5, 0.95, 0.99, 1.0)]
    return f"{len(ordered):>10,}" + "".join(f"{seconds * 1000:>10.1f}" for seconds in figures)
