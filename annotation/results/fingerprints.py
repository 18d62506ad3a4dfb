"""Fingerprints of the rows that figures are computed from, for cache keys."""

import hashlib
from collections.abc import Collection

from django.db.models import Count, Max, Q

from annotation.items.run_groups import links_of
from annotation.models import Adjudication, Assignment, Campaign
from pipeline.models import Revision, Run, ScoringJob


def state_of_work(campaign: Campaign) -> str:
    """Fingerprint that changes when a rater saves, submits, claims or skips. One query.

    Every save and claim raises the latest lease. Work sent back has leases of days, which would
    hide that, so it is excluded; its changes are in the other columns.
    """
    columns = Assignment.objects.filter(campaign=campaign).aggregate(
        counted=Count("pk", filter=Q(submitted_at__isnull=False, slot__isnull=False)),
        claimed=Count("pk"),
        last=Max("lease_until", filter=Q(returned_at=None)),
        returned=Max("returned_at"),
        submitted=Max("submitted_at"),
        edited=Max("edited_at"),
        skipped=Count("skipped_at"),
        released=Count("released_at"),
    )
    return digest(*columns.values())


def state_of_figures(campaign: Campaign) -> str:
    """As `state_of_work`, also of adjudications and runs' names and scores. 4 queries."""
    adjudicated = Adjudication.objects.filter(item__campaign=campaign).aggregate(
        n=Count("pk"), last=Max("updated_at")
    )
    links = links_of(campaign)
    scored = ScoringJob.objects.filter(run__in=[link.run_id for link in links])
    runs = [(link.run_id, link.run.dataset.name, link.run.finished_at) for link in links]
    last = scored.aggregate(last=Max("finished_at"))["last"]
    return digest(state_of_work(campaign), *adjudicated.values(), runs, last)


def state_of_runs(campaigns: Collection[int], runs: Collection[int]) -> str:
    """Fingerprint of campaigns' figures and runs' revisions, by their primary keys."""
    scored = ScoringJob.objects.filter(run__in=runs).aggregate(last=Max("finished_at"))
    done = Revision.objects.filter(run__in=runs, state=Revision.State.DONE)
    states = map(state_of_figures, Campaign.objects.filter(pk__in=campaigns).order_by("pk"))
    ordered = Run.objects.filter(pk__in=runs).order_by("pk")
    columns = ordered.values_list("pk", "finished_at", "dataset__name")
    return digest(*states, *columns, scored["last"], done.count())


def digest(*values: object) -> str:
    return hashlib.sha256(":".join(map(str, values)).encode()).hexdigest()[:16]
