"""A cache for figures of a campaign that take long to count.

Figures that are quick to count are counted again whenever the raters' work has changed. A figure
that took longer than `SLOW_SECONDS`, as in a campaign of a hundred thousand items, is shown for
`PATIENCE` times as long as it took, whatever changes meanwhile; the page then says when it was
counted. So however many people look at a large campaign, they take at most a twentieth of one
processor.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from django.core.cache import cache
from django.utils import timezone

from annotation.models import Campaign

Made = TypeVar("Made")

SLOW_SECONDS = 0.5
PATIENCE = 20
KEPT_SECONDS = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedFigure(Generic[Made]):
    """A figure, with when and from what state of the answers it was counted."""

    value: Made
    state: str
    """The state of the answers just before."""
    made_at: datetime
    seconds: float
    """How long it took."""

    @property
    def stands(self) -> bool:
        """Whether it was slow to count and is recent enough to show without looking for changes."""
        if self.seconds < SLOW_SECONDS:
            return False
        return (timezone.now() - self.made_at).total_seconds() < PATIENCE * self.seconds


def cached_figure(
    what: str,
    campaign: Campaign,
    make: Callable[[], Made],
    *,
    state_of: Callable[[], str] | None = None,
) -> CachedFigure[Made]:
    """`make()`, from the cache where it still stands or where `state_of` says the same as then.

    `state_of` is called before `make`; neither is called while the cached figure stands.
    """
    key = f"annotation.{what}.{campaign.pk}"
    found: CachedFigure[Made] | None = cache.get(key)
    if found is not None and found.stands:
        return found
    state = state_of() if state_of else ""
    if state_of and found is not None and found.state == state:
        return found
    found = compute_figure(make, state=state)
    cache.set(key, found, KEPT_SECONDS)
    return found


def compute_figure(make: Callable[[], Made], *, state: str) -> CachedFigure[Made]:
    start = time.perf_counter()
    value = make()
    seconds = time.perf_counter() - start
    return CachedFigure(value=value, state=state, made_at=timezone.now(), seconds=seconds)
