"""Dataset packages as jobs: one worker at a time, whole or not at all, cancelled, forgotten."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from annotation import tasks
from annotation.campaigns.deletion import campaign_outlook, delete_campaign
from annotation.exporting import UnsuitableFormat, jobs
from annotation.models import Campaign, ExportJob
from annotation.raters import consent
from pipeline.data.splits import BadSplit
from pipeline.jobs import leases, queue
from pipeline.workers import recovery
from rarrweb.accounts.models import User
from rarrweb.celery import EXPORTS
from tests.annotation.exporting.test_export_streaming import make_many
from tests.support.campaigns import make_campaign

pytestmark = pytest.mark.django_db
State = ExportJob.State


@pytest.fixture(autouse=True)
def place(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.EXPORT_DIR = tmp_path / "exports"
    monkeypatch.setattr(jobs, "PROGRESS_EVERY", 1)
    return tmp_path / "exports"


@pytest.fixture
def job(researcher: User) -> ExportJob:
    return jobs.start_export(make_many(30), by=researcher, formats=["hagrid", "csv"])


def files(place: Path) -> list[str]:
    return sorted(path.name for path in place.glob("*"))


def test_a_worker_writes_the_file_and_the_row_says_so(job: ExportJob, place: Path) -> None:
    assert (job.state, job.items_total) == (State.QUEUED, 60)
    assert jobs.process_export(job.pk)
    job.refresh_from_db()
    assert (job.state, job.items_done, job.claim) == (State.DONE, 60, "")
    data = job.path.read_bytes()
    assert (job.size, job.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert files(place) == [f"{job.pk}.zip"]
    assert not jobs.process_export(job.pk), "it is done"


def test_it_is_sent_once_the_row_is_there(
    researcher: User, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    waiting = queue.queue_length(EXPORTS)
    assert waiting is not None
    with django_capture_on_commit_callbacks() as sends:
        jobs.start_export(make_many(1), by=researcher, formats=["csv"])
    assert queue.queue_length(EXPORTS) == waiting
    (send,) = sends
    send()
    assert queue.queue_length(EXPORTS) == waiting + 1
    assert tasks.write_export.name == jobs.WRITE_EXPORT


@pytest.mark.parametrize(
    ("chosen", "refusal"),
    [
        ({"formats": []}, "at least one"),
        ({"formats": ["alce"]}, "alce has no place"),
        ({"formats": ["csv"], "dev": 1.5}, "no part"),
    ],
)
def test_what_cannot_be_made_is_refused_before_a_worker_sees_it(
    researcher: User, chosen: dict[str, Any], refusal: str
) -> None:
    with pytest.raises((UnsuitableFormat, BadSplit), match=refusal):
        jobs.start_export(make_many(1), by=researcher, **chosen)
    assert not ExportJob.objects.exists()


def test_the_work_of_a_worker_that_died_is_written_anew(job: ExportJob, place: Path) -> None:
    lapsed = timezone.now() - timedelta(seconds=1)
    ExportJob.objects.filter(pk=job.pk).update(
        state=State.WRITING, claim="dead", lease_until=lapsed, items_done=17
    )
    place.mkdir()
    (place / f"{job.pk}.dead.part").write_bytes(b"half")
    waiting = next(each for each in recovery.JOBS if each.task == jobs.WRITE_EXPORT).waiting()
    assert list(waiting) == [job]
    assert jobs.process_export(job.pk)
    job.refresh_from_db()
    assert (job.state, job.items_done, job.lost_leases) == (State.DONE, 60, 1)


def test_a_job_that_kills_its_workers_is_set_aside(job: ExportJob) -> None:
    ExportJob.objects.filter(pk=job.pk).update(
        state=State.WRITING, claim="dead", lease_until=timezone.now() - timedelta(seconds=1),
        lost_leases=leases.MOST_LOST - 1,
    )  # fmt: skip
    assert jobs.process_export(job.pk)
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert "Set aside" in job.failure


def test_two_workers_never_write_one(job: ExportJob) -> None:
    assert leases.claim(jobs.waiting_exports(), job.pk, state=State.WRITING)
    assert not jobs.process_export(job.pk)


def withdraw_rater_of(campaign: Campaign) -> None:
    """The campaign's rater takes back a consent that promised to delete their judgments."""
    rater = User.objects.get(assignments__item__campaign=campaign, assignments__item__position=1)
    by = campaign.created_by
    text = consent.publish(campaign, text="Agree.", withdrawal="delete", by=by)
    assert text is not None
    consent.answer(text, user=rater, answer="agreed")
    consent.withdraw(rater, campaign)


def test_a_withdrawal_that_deletes_removes_the_packages_of_its_campaign_alone(
    job: ExportJob, researcher: User, as_researcher: Client,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:  # fmt: skip
    other = jobs.start_export(make_campaign(), by=researcher, formats=["csv"])
    assert jobs.process_export(job.pk)
    assert jobs.process_export(other.pk)
    waiting = jobs.start_export(job.campaign, by=researcher, formats=["csv"])
    download = job.get_absolute_url()
    assert as_researcher.get(download).status_code == 200
    with django_capture_on_commit_callbacks(execute=True):
        withdraw_rater_of(job.campaign)
    assert as_researcher.get(download).status_code == 404
    page = as_researcher.get(f"/campaigns/{job.campaign.slug}/export/").content.decode()
    assert "judgments in it were deleted" in page
    states = dict(ExportJob.objects.values_list("pk", "state"))
    assert states == {job.pk: State.EXPIRED, other.pk: State.DONE, waiting.pk: State.QUEUED}
    assert files(jobs.folder()) == [f"{other.pk}.zip"]


def test_a_package_that_is_written_during_a_withdrawal_is_thrown_away(
    job: ExportJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = jobs.write_package

    def write_and_withdraw(campaign: Campaign, *rest: Any, **more: Any) -> Any:
        written = write(campaign, *rest, **more)
        withdraw_rater_of(campaign)
        return written

    monkeypatch.setattr(jobs, "write_package", write_and_withdraw)
    assert not jobs.process_export(job.pk)
    job.refresh_from_db()
    assert (job.state, files(jobs.folder())) == (State.EXPIRED, [])


@pytest.mark.parametrize("stop", [jobs.cancel_export, jobs.delete_export])
def test_stopped_by_a_person_it_leaves_no_file(
    researcher: User, place: Path, stop: Callable[[ExportJob], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    formats = ["hagrid", "csv", "parquet"]
    job = jobs.start_export(make_many(30), by=researcher, formats=formats)
    counted = jobs._Progress.__call__
    seen: list[int] = []

    def progress(self: Any, done: int) -> None:
        seen.append(done)
        if len(seen) == 2:
            stop(ExportJob.objects.get(pk=job.pk))
        counted(self, done)

    monkeypatch.setattr(jobs._Progress, "__call__", progress)
    assert not jobs.process_export(job.pk)
    assert max(seen) < 90, "it went on"
    assert files(place) == []
    assert not ExportJob.objects.exclude(state=State.CANCELLED).exists()


def test_a_job_that_is_over_is_not_cancelled(job: ExportJob) -> None:
    jobs.process_export(job.pk)
    assert not jobs.cancel_export(job)
    job.refresh_from_db()
    assert job.state == State.DONE


def test_nobody_comes_between_while_the_file_gets_its_name(
    job: ExportJob, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, others = Path.replace, []

    def rename(part: Path, target: Path) -> Path:
        others.append((jobs.cancel_export(job), jobs.process_export(job.pk)))
        return name(part, target)

    monkeypatch.setattr(Path, "replace", rename)
    assert jobs.process_export(job.pk)
    job.refresh_from_db()
    assert others == [(False, False)]
    assert (job.state, files(place)) == (State.DONE, [f"{job.pk}.zip"])


def test_a_package_without_a_file_is_not_ready(
    job: ExportJob, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(part: Path, target: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", fail)
    assert jobs.process_export(job.pk)
    job.refresh_from_db()
    assert (job.state, job.sha256, files(place)) == (State.FAILED, "", [])


def test_a_failure_is_told_and_leaves_no_half_file(
    job: ExportJob, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any, **options: Any) -> None:
        args[2].write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jobs, "write_package", full)
    assert jobs.process_export(job.pk)
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert "space" in job.failure.lower()
    assert files(place) == []


def test_while_the_database_is_away_the_job_waits(
    job: ExportJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*args: Any, **options: Any) -> None:
        raise OperationalError

    monkeypatch.setattr(jobs, "write_package", away)
    assert not jobs.process_export(job.pk)
    job.refresh_from_db()
    assert job.state == State.WRITING


def test_old_packages_and_files_without_a_job_are_removed(
    job: ExportJob, place: Path, researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs.process_export(job.pk)
    young = jobs.start_export(job.campaign, by=researcher, formats=["csv"])
    jobs.process_export(young.pk)
    ExportJob.objects.filter(pk=job.pk).update(finished_at=timezone.now() - timedelta(days=31))
    (place / "99.abc.part").write_bytes(b"left")
    monkeypatch.setattr(jobs, "is_abandoned", lambda path: True)
    assert jobs.forget_old_exports in recovery.CLEANERS
    jobs.forget_old_exports()
    job.refresh_from_db()
    assert job.state == State.EXPIRED
    assert files(place) == [f"{young.pk}.zip"]


URL = "/campaigns/rivers/export/"


def ask(client: Client, **more: Any) -> Any:
    return client.post(
        f"{URL}start/", {"formats": ["hagrid", "parquet"], "labels": "settled", **more}
    )


def test_the_page_asks_watches_and_hands_out(as_researcher: Client, place: Path) -> None:
    make_many(3)
    assert "No package has been made yet" in as_researcher.get(URL).content.decode()
    found = ask(as_researcher, dev="10", licence="cc-by-4.0", language="en")
    assert found["Location"] == f"{URL}#packages"
    job = ExportJob.objects.get()
    assert (job.formats, job.dev, job.licence) == (["hagrid", "parquet"], 0.1, "cc-by-4.0")
    page = as_researcher.get(f"{URL}status/").content.decode()
    assert 'hx-trigger="every 1s"' in page
    assert as_researcher.get(f"/exports/{job.pk}/").status_code == 404, "not ready yet"
    jobs.process_export(job.pk)
    page = as_researcher.get(f"{URL}status/").content.decode()
    assert "hx-trigger" not in page
    job.refresh_from_db()
    assert job.sha256 in page
    file = as_researcher.get(f"/exports/{job.pk}/")
    assert hashlib.sha256(file.getvalue()).hexdigest() == job.sha256
    assert file["Content-Disposition"] == f'attachment; filename="rivers-{job.pk}.zip"'
    as_researcher.post(f"/exports/{job.pk}/delete/")
    assert (ExportJob.objects.count(), files(place)) == (0, [])


def test_one_that_waits_can_be_cancelled_on_the_page(as_researcher: Client) -> None:
    make_many(3)
    ask(as_researcher)
    job = ExportJob.objects.get()
    as_researcher.post(f"/exports/{job.pk}/cancel/")
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert not jobs.process_export(job.pk)


@pytest.mark.parametrize(
    ("more", "told"),
    [({"formats": []}, "Choose at least one file"),
     ({"formats": ["rarr"]}, "Choose at least one file of labels"), ({"dev": "100"}, "99.9"),
     ({"formats": ["alce"]}, "alce"), ({"labels": "best"}, "best")],
)  # fmt: skip
def test_what_is_wrong_is_said_beside_the_form(
    as_researcher: Client, more: dict[str, Any], told: str
) -> None:
    make_many(1)
    found = ask(as_researcher, **more)
    assert found.status_code == 400
    assert told in found.content.decode()
    assert not ExportJob.objects.exists()


@pytest.mark.parametrize("path", ["", "cancel/", "delete/"])
def test_strangers_find_nothing(client: Client, annotator: User, path: str, job: ExportJob) -> None:
    jobs.process_export(job.pk)
    client.force_login(annotator)
    address = f"/exports/{job.pk}/{path}"
    assert (client.post(address) if path else client.get(address)).status_code == 404
    assert client.post(f"{URL}start/").status_code == 404
    assert client.get(f"{URL}status/").status_code == 404
    job.refresh_from_db()
    assert job.state == State.DONE


def test_a_campaign_takes_its_packages_with_it(
    job: ExportJob, place: Path, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    jobs.process_export(job.pk)
    Campaign.objects.filter(pk=job.campaign_id).update(state=Campaign.State.CLOSED)
    campaign = Campaign.objects.get(pk=job.campaign_id)
    assert ("Dataset packages", "1") in campaign_outlook(campaign).lost
    with django_capture_on_commit_callbacks(execute=True):
        delete_campaign(campaign)
    assert not ExportJob.objects.exists()
    assert files(place) == []
