"""Figures of large campaigns: computed in a request of their own, and cached.

A page about a small campaign computes its figures. A page about a large one shows those that are
cached, and names the second request that computes the others. The key of a cached figure has a
fingerprint of all that it is computed from, so that a page never shows an old one.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.core.cache import cache
from django.http import HttpResponse

from annotation.models import Campaign
from annotation.results.work_states import digest, state_of_figures
from pipeline.models import Run
from rarrweb.accounts.http import UserRequest

logger = logging.getLogger(__name__)

Made = TypeVar("Made")

SMALL = 3_000
"""The most submissions, or passages of runs, whose figures a page computes: in tenths of a
second."""
LOCK = "computing-figures"
BUSY_SECONDS = 5
"""In how many seconds a client that finds the lock taken may try again."""
LOCK_SECONDS = 300
"""How long the lock of a process that was killed holds."""
CACHE_SECONDS = 24 * 3600
CODE = ("annotation", "pipeline/metrics", "pipeline/charts", "pipeline/pages")
"""The folders whose program decides what a figure is."""


def is_large(campaign: Campaign) -> bool:
    return campaign.item_count * campaign.raters_per_item > SMALL


def are_large(runs: Sequence[Run]) -> bool:
    return sum(run.passage_count for run in runs) > SMALL


class Figures:
    """The figures of one request, and whether one of them is missing."""

    def __init__(self, *, computes: bool = True) -> None:
        self.computes = computes
        """Whether the request waits for figures that are not cached."""
        self.is_missing = False
        self.is_busy = False
        """Whether one is missing because another request computes figures now."""
        self.has_failed = False
        self._states: dict[int, str] = {}

    @classmethod
    def of_request(cls, request: UserRequest) -> Figures:
        return cls(computes=bool(request.htmx) or "figures" in request.GET)

    @property
    def problem(self) -> str:
        """Why a figure is missing, of a request that computes."""
        if self.has_failed:
            return "These figures could not be computed. Try again, or read the server's log."
        return "Other figures are being computed. Try again in a few seconds."

    def missing_file(self) -> HttpResponse:
        """In place of a file: why there is none, and when to try again."""
        return HttpResponse(
            self.problem,
            status=503,
            content_type="text/plain; charset=utf-8",
            headers={"Retry-After": str(BUSY_SECONDS)},
        )

    def of(
        self,
        compute: Callable[..., Made],
        campaign: Campaign,
        *arguments: object,
        always_cached: bool = False,
    ) -> Made | None:
        """What `compute` makes of the campaign and the arguments; None if that is missing.

        Figures of a small campaign are computed anew each time unless they are `always_cached`.
        """
        if not (is_large(campaign) or always_cached):
            return compute(campaign, *arguments)
        if campaign.pk not in self._states:
            self._states[campaign.pk] = state_of_figures(campaign)
        key = (compute.__name__, campaign.pk, *arguments, self._states[campaign.pk])
        computes = self.computes or not is_large(campaign)
        return self.cached(partial(compute, campaign, *arguments), *key, computes=computes)

    def cached(
        self, compute: Callable[[], Made], *key: object, computes: bool | None = None
    ) -> Made | None:
        """The cached figure, or a new one; None if it is missing."""
        full_key = digest(code_digest(), *key)
        found = cache.get(full_key)
        if found is None and (self.computes if computes is None else computes):
            found = self._computed(compute, full_key)
        if found is None:
            self.is_missing = True
            return None
        return found[0]  # type: ignore[no-any-return]  # as computed

    def _computed(self, compute: Callable[[], Any], key: str) -> tuple[Any] | None:
        if not cache.add(LOCK, key, LOCK_SECONDS):
            self.is_busy = True
            return None
        expires = time.monotonic() + LOCK_SECONDS
        try:
            # In a tuple: a figure may be None.
            return cache.get_or_set(key, lambda: (compute(),), CACHE_SECONDS)
        except Exception:
            logger.exception("figures could not be computed")
            self.has_failed = True
            return None
        finally:
            if time.monotonic() < expires:  # else it may be another request's by now
                cache.delete(LOCK)


@lru_cache
def code_digest() -> str:
    """Part of each key: another version of the program computes for itself."""
    found = hashlib.sha256()
    for folder in CODE:
        for path in sorted(Path(settings.BASE_DIR, folder).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()
