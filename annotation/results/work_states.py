"""Fingerprints of what figures are counted from: the same one, the same figures."""

import hashlib
from collections.abc import Collection

from django.db.models import Count, Max, Q

from annotation.items.run_groups import links_of
from annotation.models import Adjudication, Assignment, Campaign
from pipeline.models import Revision, Run, ScoringJob


def state_of_work(campaign: Campaign) -> str:
    """A fingerprint that changes whenever a rater saves, hands in, claims or skips. One query.

    Every save renews a lease, and a rater who takes over a slot begins a new one. Work that was
    sent back has a lease of days, behind which no other could be seen, and says what changed by
    its other columns.
    """
    found = Assignment.objects.filter(campaign=campaign).aggregate(
        counted=Count("pk", filter=Q(submitted_at__isnull=False, slot__isnull=False)),
        claimed=Count("pk"),
        last=Max("lease_until", filter=Q(returned_at=None)),
        returned=Max("returned_at"),
        submitted=Max("submitted_at"),
        edited=Max("edited_at"),
        skipped=Count("skipped_at"),
        released=Count("released_at"),
    )
    return digest(*found.values())


def state_of_figures(campaign: Campaign) -> str:
    """One that changes with the work, with what adjudicators settle, with what the runs are
    called, and when one is scored again. Four queries."""
    settled = Adjudication.objects.filter(item__campaign=campaign).aggregate(
        n=Count("pk"), last=Max("updated_at")
    )
    links = links_of(campaign)
    scored = ScoringJob.objects.filter(run__in=[link.run_id for link in links])
    runs = [(link.run_id, link.run.dataset.name, link.run.finished_at) for link in links]
    last = scored.aggregate(last=Max("finished_at"))["last"]
    return digest(state_of_work(campaign), *settled.values(), runs, last)


def state_of_runs(campaigns: Collection[int], runs: Collection[int]) -> str:
    """One of what is known of `runs` and said of them in `campaigns`, both by their keys."""
    known = Run.objects.filter(pk__in=runs).order_by("pk")
    scored = ScoringJob.objects.filter(run__in=runs).aggregate(last=Max("finished_at"))
    done = Revision.objects.filter(run__in=runs, state=Revision.State.DONE)
    said = map(state_of_figures, Campaign.objects.filter(pk__in=campaigns).order_by("pk"))
    ended = known.values_list("pk", "finished_at", "dataset__name")
    return digest(*said, *ended, scored["last"], done.count())


def digest(*said: object) -> str:
    return hashlib.sha256(":".join(map(str, said)).encode()).hexdigest()[:16]
