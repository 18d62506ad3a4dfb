"""An upload's way: received, checked, agreed to, imported; by a worker where it is large."""

import io
import socket
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from pipeline.data import corpora, datasets, stored_files, uploads
from pipeline.data.stored_files import UploadRefused
from pipeline.data.upload_jobs import Reading
from pipeline.data.uploads import (
    agree_to_import,
    choose_columns,
    discard_upload,
    has_begun_import,
    receive_upload,
    replace_file,
    retry_upload,
)
from pipeline.jobs import queue
from pipeline.models import Corpus, Dataset, Upload
from pipeline.workers.recovery import RUNNERS
from rarrweb.accounts.models import User
from tests.support.factories import make_corpus, make_dataset

pytestmark = pytest.mark.django_db
Send = Callable[..., Upload]

GOOD = b'{"id": "a", "text": "One."}\n{"id": "b", "text": "Two."}\n'
MIXED = b'{"id": "a", "text": "One."}\n{"id": "b", "text": 2}\n'


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, settings) -> Path:  # type: ignore[no-untyped-def]
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.CORPUS_DIR = tmp_path / "corpora"
    return tmp_path / "uploads"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[int]]]:
    """The messages that would have gone to the queue."""
    messages: list[tuple[str, list[int]]] = []
    monkeypatch.setattr(queue, "send", lambda task, ids: not messages.append((task, [*ids])))
    return messages


@pytest.fixture
def send(researcher: User, sent: list[object]) -> Send:
    def _send(
        content: bytes = GOOD,
        file_name: str = "in.jsonl",
        *,
        kind: Upload.Kind = Upload.Kind.PASSAGES,
        **values: object,
    ) -> Upload:
        if not values.keys() & {"dataset", "corpus"}:
            values.setdefault("name", "Rivers")
        files = [SimpleUploadedFile(file_name, content)]
        return receive_upload(kind=kind, files=files, created_by=researcher, **values)  # type: ignore[arg-type]

    return _send


def test_an_agreed_upload_makes_the_dataset_and_leaves_no_file(send: Send, folders: Path) -> None:
    upload = send(GOOD, name="Rivers", description="Of the north.")
    agree_to_import(upload)
    upload.refresh_from_db()
    assert upload.state == Upload.State.DONE
    dataset = Dataset.objects.get()
    assert upload.dataset == dataset
    assert (dataset.name, dataset.description) == ("Rivers", "Of the north.")
    assert dataset.created_by == upload.created_by
    assert dataset.passage_count == 2
    with pytest.raises(UploadRefused, match="not waiting for confirmation"):
        agree_to_import(upload)
    with pytest.raises(UploadRefused, match="not waiting for a file"):
        replace_file(upload, [SimpleUploadedFile("b.jsonl", GOOD)])
    with pytest.raises(UploadRefused, match="not waiting for its columns"):
        choose_columns(upload, mapping={}, format="csv")
    assert list(folders.iterdir()) == []
    with pytest.raises(UploadRefused, match="nothing to import"):
        agree_to_import(send(GOOD, dataset=dataset))


def test_a_file_that_lies_on_another_machine_is_reported_to_those_who_run_it(
    send: Send, folders: Path, caplog: pytest.LogCaptureFixture
) -> None:
    upload = send(GOOD)
    for path in folders.iterdir():
        path.unlink()
    agree_to_import(upload)
    upload.refresh_from_db()
    assert upload.state == Upload.State.FAILED
    assert not has_begun_import(upload)
    assert "choose the file again" in upload.failure
    assert socket.gethostname() not in upload.failure
    assert str(folders) not in upload.failure
    assert "RARR_VAR has to be one folder" in caplog.text
    assert socket.gethostname() in caplog.text


def test_errors_have_to_be_accepted_and_can_still_be_read(send: Send, folders: Path) -> None:
    upload = send(MIXED)
    with pytest.raises(UploadRefused, match="has errors"):
        agree_to_import(upload)
    agree_to_import(upload, skip_invalid=True)
    assert Dataset.objects.get().passage_count == 1
    assert [path.name for path in folders.iterdir()] == [stored_files.errors_path(upload).name]


def test_another_file_is_checked_with_the_columns_of_before(send: Send, folders: Path) -> None:
    upload = send(b"note,answer\nQ?,\nR?,B.\n", "in.csv")
    assert upload.error_count == 1
    mapping = {"note": "text", "answer": "ignored"}
    choose_columns(upload, mapping=mapping, format="csv", reading=upload.reading)
    assert (upload.mapping, upload.error_count) == (mapping, 0)
    replace_file(upload, [SimpleUploadedFile("again.jsonl", b'{"note": "A.", "answer": "Q?"}\n')])
    assert (upload.file_name, upload.format) == ("again.jsonl", "jsonl")
    assert (upload.error_count, upload.errors, upload.new_count) == (0, [], 1)
    assert upload.mapping == mapping
    assert len(list(folders.iterdir())) == 2, "the first file is gone"


def test_another_format_is_checked_anew(send: Send) -> None:
    upload = send(b'{"query": "Q?", "answers": [{"answer": "A."}], "text": "T."}\n')
    assert upload.format == "hagrid"
    choose_columns(upload, mapping={}, format="jsonl", reading=upload.reading)
    assert upload.mapping == {"query": "context", "answers": "metadata", "text": "text"}


def test_a_large_file_is_for_one_worker_at_a_time(
    send: Send,
    sent: list[tuple[str, list[int]]],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    monkeypatch.setattr(uploads, "SMALL_BYTES", 10)
    with django_capture_on_commit_callbacks(execute=True):
        upload = send(GOOD)
    assert upload.state == Upload.State.CHECKING
    assert sent == [(queue.READ_UPLOAD, [upload.pk])]
    (reading,) = (runner for runner in RUNNERS if runner.model is Upload)
    assert list(reading.waiting()) == [upload]
    Upload.objects.update(claim="x", lease_until=timezone.now() + timedelta(minutes=1))
    assert not reading.waiting().exists()
    assert not Reading().run(upload.pk), "another worker is at it"
    Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    reading.free_expired()
    assert list(reading.waiting()) == [upload]
    assert Reading().run(upload.pk)
    upload.refresh_from_db()
    assert upload.state == Upload.State.CHECKED
    with django_capture_on_commit_callbacks(execute=True):
        agree_to_import(upload)
    assert len(sent) == 2
    assert Reading().run(upload.pk)
    assert Dataset.objects.get().passage_count == 2
    assert not Reading().run(upload.pk), "there is nothing left to do"


def test_a_packed_file_is_as_large_as_what_is_in_it(
    send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "SMALL_UNPACKED_BYTES", 1_000)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "a" * 5_000)
    upload = send(out.getvalue(), "c.zip", kind=Upload.Kind.DOCUMENTS)
    assert upload.size < 1_000
    assert upload.state == Upload.State.CHECKING


def test_a_table_of_documents_becomes_a_corpus_and_is_queued_for_indexing(
    send: Send,
    sent: list[tuple[str, list[int]]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    upload = send(b"headline,body\nRibble,Runs west.\n", "c.csv", kind=Upload.Kind.DOCUMENTS)
    with django_capture_on_commit_callbacks(execute=True):
        agree_to_import(upload)
    corpus = Corpus.objects.get()
    assert (corpus.state, corpus.document_count) == (Corpus.State.QUEUED, 1)
    document = corpus.documents.get()
    assert (document.title, document.text) == ("Ribble", "Runs west.")
    assert sent == [(queue.INDEX_CORPUS, [corpus.pk])]
    assert corpora.Indexing().run(corpus.pk)


def test_files_become_documents_under_their_own_names(send: Send, researcher: User) -> None:
    corpus = make_corpus()
    upload = receive_upload(
        kind=Upload.Kind.DOCUMENTS,
        files=[SimpleUploadedFile("a.txt", b"One."), SimpleUploadedFile("b.md", b"# B\nTwo.")],
        corpus=corpus,
        created_by=researcher,
    )
    agree_to_import(upload)
    assert upload.file_name == "a.txt and 1 more"
    agree_to_import(send(b"Hello.", "notes.txt", kind=Upload.Kind.DOCUMENTS, corpus=corpus))
    ids = corpus.documents.values_list("external_id", "title")
    assert sorted(ids) == [("a.txt", "a"), ("b.md", "B"), ("notes.txt", "notes")]


@pytest.mark.parametrize(
    ("names", "words"),
    [(["a.txt", "b.pdf"], "b.pdf is no .txt"), (["a.txt", "a.txt"], "Two files are called a.txt")],
)
def test_several_files_have_to_be_texts_with_names_of_their_own(
    researcher: User, names: list[str], words: str, folders: Path
) -> None:
    files = [SimpleUploadedFile(name, b"x") for name in names]
    with pytest.raises(UploadRefused, match=words):
        receive_upload(kind=Upload.Kind.DOCUMENTS, files=files, name="c", created_by=researcher)
    assert not Upload.objects.exists()
    assert not folders.exists() or list(folders.iterdir()) == []


def test_a_file_over_the_limit_is_refused(send: Send, settings, folders: Path) -> None:  # type: ignore[no-untyped-def]
    settings.UPLOAD_LIMIT_MB = 0
    with pytest.raises(UploadRefused, match="the limit is 0 MB"):
        send(GOOD)
    assert not folders.exists()


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b.jsonl", "x" * 400 + ".csv", "…\u202e.csv"]
)
def test_a_files_name_is_never_a_path(send: Send, folders: Path, name: str) -> None:
    upload = send(GOOD, name)
    assert stored_files.file_path(upload).parent == folders
    assert upload.stored_name.rpartition(".")[0].isalnum()


def test_a_check_or_an_import_that_fails_can_be_tried_again(
    send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(datasets, "check_passages", Mock(side_effect=KeyError("secret")))
        upload = send(GOOD)
    assert (upload.state, "secret" in upload.failure) == (Upload.State.FAILED, False)
    retry_upload(upload)
    assert (upload.state, upload.failure, upload.new_count) == (Upload.State.CHECKED, "", 2)
    with pytest.raises(UploadRefused, match="not waiting for a retry"):
        retry_upload(upload)
    with monkeypatch.context() as patched:
        full = OSError(28, "No space left on device")
        patched.setattr(datasets, "write_rows", Mock(side_effect=full))
        agree_to_import(upload)
    upload.refresh_from_db()
    assert (upload.state, has_begun_import(upload)) == (Upload.State.FAILED, True)
    assert "no space left" in upload.failure
    retry_upload(upload)
    upload.refresh_from_db()
    assert upload.state == Upload.State.DONE
    assert Dataset.objects.get().passage_count == 2


def test_a_discarded_import_leaves_no_file_and_frees_its_dataset(send: Send, folders: Path) -> None:
    upload = send(MIXED, dataset=make_dataset())
    assert len(list(folders.iterdir())) == 3
    Upload.objects.update(state=Upload.State.FAILED)
    Dataset.objects.update(is_complete=False)
    upload.refresh_from_db()
    discard_upload(upload)
    assert Dataset.objects.get().is_complete
    assert not Upload.objects.exists()
    assert list(folders.iterdir()) == []
