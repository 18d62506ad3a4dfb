"""Metrics for Prometheus at `/metrics`, with the token of RARR_METRICS_TOKEN."""

import hmac
import shutil
from collections.abc import Iterator, Mapping
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
from rarrweb.celery import INDEXING, PASSAGES, SCORING
from rarrweb.operations.backups.scheduled import last_scheduled_backup

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
"""Without uploads and trials, whose users see the failure."""


@require_safe
@login_not_required
def metrics(request: HttpRequest) -> HttpResponse:
    """Return all metrics; 404 without the token, or if none is set."""
    expected = f"Bearer {settings.METRICS_TOKEN}"
    given = request.headers.get("Authorization", "")
    if not settings.METRICS_TOKEN or not hmac.compare_digest(given.encode(), expected.encode()):
        raise Http404
    collectors = CollectorRegistry()
    try:
        MultiProcessCollector(collectors)
    except ValueError:  # a single process
        collectors.register(REGISTRY)
    collectors.register(QueueCollector())
    return HttpResponse(
        exposition.generate_latest(collectors), content_type=exposition.CONTENT_TYPE_PLAIN_0_0_4
    )


class QueueCollector:
    def collect(self) -> Iterator[GaugeMetricFamily]:
        names = sorted(set(QUEUES.values()))
        lengths = {name: queue_length(name) for name in names}
        is_reachable = float(None not in lengths.values())
        yield GaugeMetricFamily(
            "rarrweb_queue_reachable", "1 where the broker answers.", is_reachable
        )
        known = {name: length for name, length in lengths.items() if length is not None}
        yield _gauge("rarrweb_messages", "Messages that wait for a worker.", "queue", known)
        taken = list(registry.alive().values_list("queues", flat=True))
        takers = {name: sum(name in queues for queues in taken) for name in names}
        yield _gauge("rarrweb_workers", "Workers that live and take this work.", "queue", takers)
        waiting = Revision.objects.claimable().filter(state=Revision.State.QUEUED)
        working = Revision.objects.filter(state=Revision.State.RUNNING)
        passages = {"waiting": waiting.count(), "working": working.count()}
        yield _gauge(
            "rarrweb_passages", "Passages of running runs that are not done.", "state", passages
        )
        made = last_scheduled_backup()
        yield GaugeMetricFamily(
            "rarrweb_backup_age_seconds",
            "Since the last backup in RARR_BACKUP_FOLDER.",
            (datetime.now(UTC) - made).total_seconds() if made else None,
        )
        free = shutil.disk_usage(settings.VAR_DIR).free
        yield GaugeMetricFamily("rarrweb_free_bytes", "Room on the disk of RARR_VAR.", free)
        failed = {name: rows.filter(state="failed").count() for name, rows in FAILING.items()}
        words = "Work that failed, until somebody tries it again."
        yield _gauge("rarrweb_failed", words, "queue", failed)


def _gauge(name: str, words: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    gauge = GaugeMetricFamily(name, words, labels=[label])
    for each, value in values.items():
        gauge.add_metric([each], value)
    return gauge
