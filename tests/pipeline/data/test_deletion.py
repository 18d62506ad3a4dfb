"""Deletion of datasets, corpora and runs: previews and refusals."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from annotation.models import Campaign
from pipeline.data import corpora
from pipeline.data.deletion import (
    corpus_deletion_preview,
    dataset_deletion_preview,
    delete_corpus,
    delete_dataset,
    delete_run,
    run_deletion_preview,
)
from pipeline.data.stored_files import file_path
from pipeline.jobs import queue
from pipeline.models import Corpus, Dataset, Document, Passage, Revision, Run, Upload
from rarrweb.web.deletion import DeletionRefused
from tests.support.factories import make_corpus, make_dataset, make_passage, make_revision, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("state_folder")]


def make_upload(state: str = Upload.State.DONE, **values: object) -> Upload:
    upload = Upload.objects.create(
        kind=Upload.Kind.PASSAGES, file_name="a", stored_name="a", state=state, **values
    )
    file_path(upload).parent.mkdir(parents=True, exist_ok=True)
    file_path(upload).write_text("a")
    return upload


def test_a_dataset_goes_with_its_passages_and_files(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    dataset, other = make_dataset(), make_passage()
    make_passage(dataset)
    make_passage(dataset)
    upload = make_upload(dataset=dataset)
    assert dataset_deletion_preview(dataset).lost == (("Passages", "2"), ("Uploaded files", "1"))
    with django_capture_on_commit_callbacks(execute=True):
        delete_dataset(dataset)
    assert list(Passage.objects.all()) == [other]
    assert not Upload.objects.exists()
    assert not file_path(upload).exists()


def test_what_runs_need_stays_and_the_runs_are_named() -> None:
    run = make_run()
    assert dataset_deletion_preview(run.dataset).needed_by == (run,)
    assert corpus_deletion_preview(run.corpus).needed_by == (run,)  # type: ignore[arg-type]  # it has one
    for delete, row in ((delete_dataset, run.dataset), (delete_corpus, run.corpus)):
        with pytest.raises(DeletionRefused, match="Delete those runs first"):
            delete(row)  # type: ignore[operator]
    assert Dataset.objects.exists()
    assert Corpus.objects.exists()


def test_a_dataset_or_corpus_that_a_worker_reads_stays() -> None:
    dataset = make_dataset()
    make_upload(state=Upload.State.IMPORTING, dataset=dataset)
    with pytest.raises(DeletionRefused, match="being checked or imported"):
        delete_dataset(dataset)
    corpus = make_corpus(lease_until=timezone.now() + timedelta(minutes=1))
    with pytest.raises(DeletionRefused, match="indexing it"):
        delete_corpus(corpus)


def test_a_corpus_goes_with_its_documents_and_its_index(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    corpus = make_corpus(slug="rivers")
    Document.objects.create(corpus=corpus, external_id="a", text="The Ribble.", content_hash="a")
    queue.mark_for_indexing(corpus)
    corpora.Indexing().run(corpus.pk)
    assert "KB" in dict(corpus_deletion_preview(corpus).lost)["Search index on the disk"]
    corpus.refresh_from_db()
    with django_capture_on_commit_callbacks(execute=True):
        delete_corpus(corpus)
    assert not Document.objects.exists()
    assert not corpora.index_path("rivers").exists()


def test_the_size_of_an_index_is_counted_next_to_a_writer_that_removes_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    index = corpora.index_path("rivers")
    (index / "deeper").mkdir(parents=True)
    for name in ("kept", "deeper/kept", "merged"):
        (index / name).write_text("x" * 1024)
    stat = Path.stat

    def stat_before_a_write(path: Path, **values: bool) -> os.stat_result:
        if path.name == "merged":
            path.unlink(missing_ok=True)
        return stat(path, **values)

    monkeypatch.setattr(Path, "stat", stat_before_a_write)
    lost = dict(corpus_deletion_preview(make_corpus(slug="rivers")).lost)
    assert lost["Search index on the disk"] == "2.0\xa0KB"


def test_a_run_goes_with_its_revisions_and_leaves_the_passages() -> None:
    run = make_run(state=Run.State.FINISHED)
    make_revision(run, state=Revision.State.DONE)
    make_revision(run, state=Revision.State.FAILED)
    assert [figure for _, figure in run_deletion_preview(run).lost] == ["1", "1"]
    delete_run(run)
    assert not Revision.objects.exists()
    assert Passage.objects.count() == 2


def test_a_run_at_work_stays() -> None:
    run = make_run(state=Run.State.RUNNING)
    with pytest.raises(DeletionRefused, match="Cancel it first"):
        delete_run(run)
    Run.objects.update(state=Run.State.CANCELLED)
    soon = timezone.now() + timedelta(minutes=1)
    revision = make_revision(run, state=Revision.State.RUNNING, lease_until=soon)
    with pytest.raises(DeletionRefused, match="still revising"):
        delete_run(run)
    Revision.objects.filter(pk=revision.pk).update(lease_until=timezone.now())
    delete_run(run)


def test_a_run_that_a_campaign_judges_stays_and_the_campaign_is_named() -> None:
    run = make_run(state=Run.State.FINISHED)
    campaign = Campaign.objects.create(slug="bees", name="Bees")
    campaign.runs.add(run)
    preview = run_deletion_preview(run)
    assert [each.get_absolute_url() for each in preview.needed_by] == ["/campaigns/bees/"]  # type: ignore[attr-defined]
    with pytest.raises(DeletionRefused, match="Campaigns judge"):
        delete_run(run)
