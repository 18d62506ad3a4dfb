"""A real worker counts a large campaign's figures; one that is killed over it is followed by
another."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.adjudication.cases import WAITING
from annotation.models import Campaign, KeptFigure
from annotation.results import kept_figures
from annotation.results.kept_figures import Shown, shown_figure
from tests.support.campaigns import make_campaign
from tests.support.worker_process import StartWorker, empty_the_queue

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]


def look(campaign: Campaign) -> Shown[int]:
    return shown_figure(WAITING, Campaign.objects.get(pk=campaign.pk))


def wait_until(is_so: Callable[[], bool], what: str, *, seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def test_a_figure_is_counted_though_its_worker_was_killed_and_its_message_lost(
    start_worker: StartWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_figures, "LIVE_SUBMISSIONS", 0)
    campaign = make_campaign()
    log = tmp_path / "script.log"
    slow = {"SCRIPT_LOG": str(log), "SCRIPT_COUNT_SECONDS": "600"}
    worker = start_worker(app="tests.support.worker_app", environment=slow)
    assert look(campaign).is_counting
    wait_until(lambda: log.exists() and "counting" in log.read_text(), "nobody begins")
    worker.kill()
    empty_the_queue()
    assert look(campaign).is_counting
    start_worker()
    wait_until(lambda: not look(campaign).is_counting, "nobody takes it over")
    assert look(campaign).value == 0
    assert KeptFigure.objects.get().lost_leases == 0, "the next count begins anew"
