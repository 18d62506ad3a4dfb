"""Cached figures of large campaigns and runs.

The page of a large campaign or run renders cached figures and requests the others
(templates/annotation/_computing.html). Cache keys have fingerprints of the data and the code, so no
figure is stale.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.core.cache import cache
from django.db.models import Count, Max, Q
from django.http import HttpResponse

from annotation.items.run_groups import links_of
from annotation.models import Adjudication, Assignment, Campaign
from pipeline.models import Revision, Run, ScoringJob
from rarrweb.accounts.http import UserRequest

logger = logging.getLogger(__name__)

Figure = TypeVar("Figure")

SMALL = 3_000
"""Figures of at most this many submissions, or passages of runs, are not cached."""
LOCK = "computing-figures"
RETRY_SECONDS = 5
"""For `Retry-After`."""
LOCK_SECONDS = 300
"""The lock of a killed process expires."""
CACHE_SECONDS = 24 * 3600
CODE = ("annotation", "pipeline/metrics", "pipeline/charts", "pipeline/pages")
"""The folders whose code computes figures."""


def work_fingerprint(campaign: Campaign) -> str:
    """Fingerprint that changes when a rater saves, submits, claims or skips. One query.

    Every save and claim raises `last_lease`. Work sent back is excluded, as leases of days would
    keep the maximum from rising; the other columns show its changes.
    """
    columns = Assignment.objects.filter(campaign=campaign).aggregate(
        valid=Count("pk", filter=Q(submitted_at__isnull=False, slot__isnull=False)),
        claimed=Count("pk"),
        last_lease=Max("lease_until", filter=Q(returned_at=None)),
        returned=Max("returned_at"),
        submitted=Max("submitted_at"),
        edited=Max("edited_at"),
        skipped=Count("skipped_at"),
        released=Count("released_at"),
    )
    return digest(*columns.values())


def campaign_fingerprint(campaign: Campaign) -> str:
    """As `work_fingerprint`, also of adjudications and runs' names and scores. 4 queries."""
    adjudicated = Adjudication.objects.filter(item__campaign=campaign).aggregate(
        n=Count("pk"), last=Max("updated_at")
    )
    links = links_of(campaign)
    scored = ScoringJob.objects.filter(run__in=[link.run_id for link in links])
    runs = [(link.run_id, link.run.dataset.name, link.run.finished_at) for link in links]
    last = scored.aggregate(last=Max("finished_at"))["last"]
    return digest(work_fingerprint(campaign), *adjudicated.values(), runs, last)


def runs_fingerprint(campaigns: Collection[int], runs: Collection[int]) -> str:
    """Fingerprint of campaigns' figures and runs' revisions, by their primary keys."""
    scored = ScoringJob.objects.filter(run__in=runs).aggregate(last=Max("finished_at"))
    done = Revision.objects.filter(run__in=runs, state=Revision.State.DONE)
    prints = map(campaign_fingerprint, Campaign.objects.filter(pk__in=campaigns).order_by("pk"))
    ordered = Run.objects.filter(pk__in=runs).order_by("pk")
    columns = ordered.values_list("pk", "finished_at", "dataset__name")
    return digest(*prints, *columns, scored["last"], done.count())


def digest(*values: object) -> str:
    return hashlib.sha256(":".join(map(str, values)).encode()).hexdigest()[:16]


def is_large(campaign: Campaign) -> bool:
    return campaign.item_count * campaign.raters_per_item > SMALL


def are_large(runs: Sequence[Run]) -> bool:
    return sum(run.passage_count for run in runs) > SMALL


class FigureCache:
    """The figures of one request, cached if large, and which of them are missing."""

    def __init__(self, *, computes: bool = True) -> None:
        self.computes = computes
        """Whether to compute large figures that are not cached."""
        self.is_missing = False
        """A figure is neither cached nor computed."""
        self.is_locked = False
        """Another request computes a figure."""
        self.has_failed = False
        self._fingerprints: dict[int, str] = {}

    @classmethod
    def of_request(cls, request: UserRequest) -> FigureCache:
        return cls(computes=bool(request.htmx) or "figures" in request.GET)

    @property
    def problem(self) -> str:
        """A message on why a figure is missing."""
        if self.has_failed:
            return "These figures could not be computed. Try again, or read the server's log."
        return "Other figures are being computed. Try again in a few seconds."

    def unavailable_response(self) -> HttpResponse:
        return HttpResponse(
            self.problem,
            status=503,
            content_type="text/plain; charset=utf-8",
            headers={"Retry-After": str(RETRY_SECONDS)},
        )

    def get(
        self,
        compute: Callable[..., Figure],
        campaign: Campaign,
        *arguments: object,
        always_cached: bool = False,
    ) -> Figure | None:
        """Return `compute(campaign, *arguments)`; None if missing.

        Figures of a small campaign are computed each time, unless `always_cached`.
        """
        if not (is_large(campaign) or always_cached):
            return compute(campaign, *arguments)
        if campaign.pk not in self._fingerprints:
            self._fingerprints[campaign.pk] = campaign_fingerprint(campaign)
        key = (compute.__name__, campaign.pk, *arguments, self._fingerprints[campaign.pk])
        is_quick = not is_large(campaign)
        return self.get_by_key(partial(compute, campaign, *arguments), *key, is_quick=is_quick)

    def get_by_key(
        self, compute: Callable[[], Figure], *key: object, is_quick: bool = False
    ) -> Figure | None:
        """Return `compute()`, cached under `key`; None if missing.

        Quick figures are computed in any case.
        """
        full_key = digest(code_digest(), *key)
        figure = cache.get(full_key)
        if figure is None and (is_quick or self.computes):
            figure = self._compute(compute, full_key)
        if figure is None:
            self.is_missing = True
            return None
        return figure[0]  # type: ignore[no-any-return]  # as computed

    def _compute(self, compute: Callable[[], Any], key: str) -> tuple[Any] | None:
        if not cache.add(LOCK, key, LOCK_SECONDS):
            self.is_locked = True
            return None
        expires = time.monotonic() + LOCK_SECONDS
        try:
            # In a tuple, as a figure can be None.
            return cache.get_or_set(key, lambda: (compute(),), CACHE_SECONDS)
        except Exception:
            logger.exception("figures could not be computed")
            self.has_failed = True
            return None
        finally:
            if time.monotonic() < expires:  # else it can be another request's
                cache.delete(LOCK)


@lru_cache
def code_digest() -> str:
    code = hashlib.sha256()
    for folder in CODE:
        for path in sorted(Path(settings.BASE_DIR, folder).rglob("*.py")):
            code.update(path.read_bytes())
    return code.hexdigest()
