"""Work on which two workers crashed fails with its reason, and can be retried."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.backends.tantivy_corpus import CorpusWriter
from pipeline.data import corpora, datasets, stored_files, upload_jobs, uploads
from pipeline.jobs import queue
from pipeline.models import Corpus, Document, Revision, Run, Upload
from pipeline.runs import execution, lifecycle
from tests.support.factories import make_corpus, make_revision, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_queue")]


class Killed(BaseException):
    """As if the process were gone: nothing of ours may write after it."""


def die(*given: object, **named: object) -> Any:
    raise Killed


def die_over(work: Callable[[], object], rows: QuerySet) -> None:
    """Let the worker die, and its lease run out."""
    with pytest.raises(Killed):
        work()
    rows.exclude(claim="").update(lease_until=timezone.now() - timedelta(seconds=1))


def die_reading(upload: Upload) -> None:
    die_over(lambda: upload_jobs.Reading().run(upload.pk), Upload.objects.all())


def die_indexing(corpus: Corpus) -> None:
    die_over(lambda: corpora.Indexing().run(corpus.pk), Corpus.objects.all())


def make_upload() -> Upload:
    upload = Upload.objects.create(
        kind=Upload.Kind.PASSAGES, name="Rivers", file_name="in.jsonl", stored_name="x.jsonl"
    )
    stored_files.folder().mkdir(parents=True, exist_ok=True)
    stored_files.file_path(upload).write_text('{"text": "One."}\n')
    return upload


def test_a_file_that_killed_two_workers_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    upload = make_upload()
    with monkeypatch.context() as patched:
        patched.setattr(datasets, "check_passages", die)
        for _ in range(2):
            die_reading(upload)
        assert upload_jobs.Reading().run(upload.pk), "nobody reads it a third time"
    upload.refresh_from_db()
    assert (upload.state, upload.claim, upload.lease_until) == (Upload.State.FAILED, "", None)
    assert upload.failure.startswith("Skipped: the worker crashed or hung twice on this file")
    assert not upload_jobs.Reading().waiting().exists()


def test_a_file_with_progress_between_crashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three restarts within one long check: no row of it is to blame."""
    upload = make_upload()
    check = datasets.check_passages
    monkeypatch.setattr(upload_jobs, "PROGRESS_EVERY", 1)

    def reach(rows: int) -> None:
        def read(*given: Any, progress: Callable[[int], None], **named: Any) -> Any:
            for done in range(1, rows + 1):
                progress(done)
            raise Killed

        monkeypatch.setattr(datasets, "check_passages", read)
        die_reading(upload)

    for rows in (10, 20, 30):
        reach(rows)
        upload.refresh_from_db()
        assert (upload.state, upload.lost_leases) == (Upload.State.CHECKING, 0)
    reach(30)
    monkeypatch.setattr(datasets, "check_passages", check)
    assert upload_jobs.Reading().run(upload.pk)
    upload.refresh_from_db()
    assert upload.state == Upload.State.FAILED, "the second death at the same place counts"


def test_one_crash_over_a_file_is_forgiven_and_a_failed_import_retried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    upload = make_upload()
    with monkeypatch.context() as patched:
        patched.setattr(datasets, "check_passages", die)
        die_reading(upload)
    assert upload_jobs.Reading().run(upload.pk)
    upload.refresh_from_db()
    with monkeypatch.context() as patched:
        patched.setattr(uploads, "_begin", lambda upload: None)
        uploads.agree_to_import(upload)
        patched.setattr(datasets, "import_passages", die)
        die_reading(upload)
        upload.refresh_from_db()
        assert upload.state == Upload.State.IMPORTING, "the import counts for itself"
        die_reading(upload)
        upload_jobs.Reading().run(upload.pk)
    upload.refresh_from_db()
    assert upload.state == Upload.State.FAILED
    uploads.retry_upload(upload)
    upload.refresh_from_db()
    assert upload.state == Upload.State.DONE


@pytest.mark.parametrize("sweeps", [True, False])
def test_a_passage_that_killed_two_workers_fails(
    monkeypatch: pytest.MonkeyPatch, sweeps: bool
) -> None:
    run = make_run()
    revision = make_revision(run, attempts=4)  # which ended by themselves and are no crashes
    with monkeypatch.context() as patched:
        patched.setattr(execution, "_revised", die)
        for _ in range(2):
            die_over(lambda: execution.Revising().run(revision.pk), Revision.objects.all())
            if sweeps:
                execution.Revising().free_expired()
        execution.Revising().run(revision.pk)
    revision.refresh_from_db()
    assert (revision.state, revision.failure) == (Revision.State.FAILED, "WorkerCrashed")
    assert revision.failure_message.startswith("Skipped: the worker crashed or hung twice on")
    lifecycle.finish_if_over(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert lifecycle.requeue_failed(run) == 1
    revision.refresh_from_db()
    assert revision.lost_leases == 0


def make_corpus_of(names: Iterable[str]) -> Corpus:
    corpus = make_corpus(state=Corpus.State.QUEUED)
    Document.objects.bulk_create(
        Document(corpus=corpus, external_id=name, text=f"About {name}.", content_hash=name)
        for name in names
    )
    return corpus


def test_a_document_that_killed_three_workers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large commit is narrowed down to smaller ones, and one of those to single documents."""
    names = [f"{number:02}" for number in range(60)]
    corpus = make_corpus_of(names)
    monkeypatch.setattr(corpora, "COMMIT_DOCUMENTS", (40, 8, 1))
    real, commit, commits = CorpusWriter.add, CorpusWriter.commit, []

    def add(writer: CorpusWriter, document: Any) -> None:
        die() if document.id == "29" else real(writer, document)

    with monkeypatch.context() as patched:
        patched.setattr(CorpusWriter, "add", add)
        patched.setattr(
            CorpusWriter, "commit", lambda writer: (commits.append(writer), commit(writer))
        )
        for _ in range(3):
            die_indexing(corpus)
        assert corpora.Indexing().run(corpus.pk), "nobody begins a fourth time"
    corpus.refresh_from_db()
    assert (corpus.state, corpus.indexed_count) == (Corpus.State.FAILED, 29)
    skipped = "Skipped: the worker crashed or hung three times on document 29,"
    assert corpus.error.startswith(skipped)
    assert len(commits) == 24 // 8 + 29 % 8, "hardly any for what no worker died over"
    queue.queue_indexing(corpus)
    assert corpora.Indexing().run(corpus.pk)
    corpus.refresh_from_db()
    assert (corpus.state, corpus.lost_leases) == (Corpus.State.READY, 0)


def test_commits_grow_again_after_one_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = make_corpus_of([f"{number:02}" for number in range(60)])
    monkeypatch.setattr(corpora, "COMMIT_DOCUMENTS", (20, 5, 1))
    with monkeypatch.context() as patched:
        patched.setattr(CorpusWriter, "add", die)
        die_indexing(corpus)
    seen: list[int] = []
    assert corpora.Indexing(seen.append).run(corpus.pk)
    assert seen == [5, 10, 15, 20, 40, 60]


def test_a_corpus_with_progress_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = make_corpus_of("abcdef")
    monkeypatch.setattr(corpora, "COMMIT_DOCUMENTS", (1, 1, 1))
    real, left = CorpusWriter.add, {"b", "d", "f"}

    def add(writer: CorpusWriter, document: Any) -> None:
        if document.id in left:
            left.remove(document.id)
            die()
        real(writer, document)

    monkeypatch.setattr(CorpusWriter, "add", add)
    for _ in range(3):
        die_indexing(corpus)
    assert corpora.Indexing().run(corpus.pk)
    corpus.refresh_from_db()
    assert (corpus.state, corpus.indexed_count) == (Corpus.State.READY, 6)
