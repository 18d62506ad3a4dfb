"""Figures for Prometheus at `/metrics`, for who has the token of RARR_METRICS_TOKEN.

How long requests take is counted in every process of a web server; gunicorn_config gives these a
folder to count in together. What waits, who works and what failed is asked of the database and the
queue, the rest of the disks.
"""

import hmac
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import REGISTRY, CollectorRegistry, Histogram, exposition
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from pipeline.jobs.queue import QUEUES, queue_length
from pipeline.models import Corpus, Revision, ScoringJob
from pipeline.workers import registry
from rarrweb.backups.scheduled import last_scheduled_backup
from rarrweb.celery import INDEXING, PASSAGES, SCORING

request_seconds = Histogram(
    "rarrweb_request_seconds",
    "Seconds from a request to the beginning of its answer.",
    ["view", "method", "status"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
FAILING: dict[str, QuerySet[Any]] = {
    PASSAGES: Revision.objects.filter(run__dataset__trial_owner=None),
    SCORING: ScoringJob.objects.all(),
    INDEXING: Corpus.objects.all(),
}
"""Not uploads and trials, which fail before the eyes of who made them."""


@require_safe
@login_not_required  # Prometheus has no account; the token stands for one
def metrics(request: HttpRequest) -> HttpResponse:
    """All figures as Prometheus reads them; 404 without the token, or where none is set."""
    expected = f"Bearer {settings.METRICS_TOKEN}"
    given = request.headers.get("Authorization", "")
    if not settings.METRICS_TOKEN or not hmac.compare_digest(given.encode(), expected.encode()):
        raise Http404
    shown = CollectorRegistry()
    try:
        MultiProcessCollector(shown)
    except ValueError:  # one process alone: no folder
        shown.register(REGISTRY)
    shown.register(Work())
    shown.register(Upkeep())
    return HttpResponse(
        exposition.generate_latest(shown), content_type=exposition.CONTENT_TYPE_PLAIN_0_0_4
    )


class Work:
    """What waits, what is in work, and how many workers take each kind."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        names = sorted(set(QUEUES.values()))
        lengths = {name: queue_length(name) for name in names}
        reachable = GaugeMetricFamily("rarrweb_queue_reachable", "1 where the broker answers.")
        reachable.add_metric([], float(None not in lengths.values()))
        yield reachable
        messages = GaugeMetricFamily(
            "rarrweb_messages", "Messages that wait for a worker.", labels=["queue"]
        )
        for name, length in lengths.items():
            if length is not None:
                messages.add_metric([name], length)
        yield messages
        workers = GaugeMetricFamily(
            "rarrweb_workers", "Workers that live and take this work.", labels=["queue"]
        )
        taken = list(registry.alive().values_list("queues", flat=True))
        for name in names:
            workers.add_metric([name], sum(name in queues for queues in taken))
        yield workers
        passages = GaugeMetricFamily(
            "rarrweb_passages", "Passages of running runs that are not done.", labels=["state"]
        )
        waiting = Revision.objects.claimable().filter(state=Revision.State.QUEUED)
        passages.add_metric(["waiting"], waiting.count())
        working = Revision.objects.filter(state=Revision.State.RUNNING)
        passages.add_metric(["working"], working.count())
        yield passages


class Upkeep:
    """What somebody has to see to: an old backup, a full disk, work that failed."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        age = GaugeMetricFamily(
            "rarrweb_backup_age_seconds", "Since the last backup in RARR_BACKUP_FOLDER."
        )
        if made := last_scheduled_backup():
            age.add_metric([], (datetime.now(UTC) - made).total_seconds())
        yield age
        free = GaugeMetricFamily("rarrweb_free_bytes", "Room on the disk of RARR_VAR.")
        free.add_metric([], shutil.disk_usage(settings.VAR_DIR).free)
        yield free
        failed = GaugeMetricFamily(
            "rarrweb_failed", "Work that failed, until somebody tries it again.", labels=["queue"]
        )
        for name, rows in FAILING.items():
            failed.add_metric([name], rows.filter(state="failed").count())
        yield failed
