"""Work whose lease passed to another worker while it slept stops, and writes nothing more."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import models
from django.utils import timezone
from pytest_django import Settings

from pipeline.backends.tantivy_corpus import TantivyCorpus
from pipeline.data import corpora, datasets, stored_files, upload_jobs, uploads
from pipeline.models import Corpus, Dataset, Document, Passage, Revision, Run, Upload
from pipeline.runs import execution
from rarrweb.accounts.models import User
from tests.support import scripted_engine
from tests.support.factories import make_corpus, make_revision
from tests.support.scripted_engine import ScriptedEngine

RIVAL = "the rival's token"
engine = scripted_engine.engine  # a fixture


def sleep_past_the_lease(row: models.Model) -> None:
    """What a paused worker finds when it wakes: the row is claimed by another one."""
    type(row)._default_manager.filter(pk=row.pk).update(
        claim=RIVAL, lease_until=timezone.now() + timedelta(minutes=1)
    )


def after(call: Callable[..., Any], event: Callable[[], None]) -> Callable[..., Any]:
    """`call`, with `event` once it returns for the first time."""
    happened: list[bool] = []

    def both(*args: Any, **kwargs: Any) -> Any:
        value = call(*args, **kwargs)
        if not happened:
            happened.append(True)
            event()
        return value

    return both


@pytest.fixture
def upload(
    researcher: User, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Upload:
    """A file of three batches that waits to be checked."""
    settings.UPLOAD_DIR = tmp_path
    monkeypatch.setattr(upload_jobs, "PROGRESS_EVERY", 1)
    monkeypatch.setattr(uploads, "is_small", lambda upload: False)
    rows = [{"id": f"p{n}", "text": f"Sentence {n}."} for n in range(1200)]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return uploads.receive_upload(
        kind=Upload.Kind.PASSAGES,
        files=[SimpleUploadedFile("rows.jsonl", lines)],
        created_by=researcher,
        name="Norway",
    )


def check(upload: Upload) -> None:
    assert upload_jobs.Reading().run(upload.pk)
    upload.refresh_from_db()
    assert upload.new_count == 1200
    Upload.objects.filter(pk=upload.pk).update(state=Upload.State.IMPORTING)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("step", "one_transaction"),
    [("write_rows", True), ("write_rows", False), ("create_dataset", False)],
)
def test_an_import_that_lost_its_lease_writes_nothing_more(
    upload: Upload, monkeypatch: pytest.MonkeyPatch, step: str, one_transaction: bool
) -> None:
    check(upload)
    monkeypatch.setattr(datasets, "ONE_TRANSACTION_BYTES", 10_000_000 if one_transaction else 0)
    asleep = after(getattr(datasets, step), lambda: sleep_past_the_lease(upload))
    monkeypatch.setattr(datasets, step, asleep)
    assert not upload_jobs.Reading().run(upload.pk)
    assert Passage.objects.count() == 0
    upload.refresh_from_db()
    assert upload.state == Upload.State.IMPORTING
    assert stored_files.rows_path(upload).exists()
    if step == "create_dataset":
        assert upload.dataset is None
        assert not Dataset.objects.exists()


@pytest.mark.django_db
def test_a_check_that_lost_its_lease_leaves_the_rival_its_files(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_files.rows_path(upload).write_text("the rival's")
    asleep = after(datasets.check_passages, lambda: sleep_past_the_lease(upload))
    monkeypatch.setattr(datasets, "check_passages", asleep)
    assert not upload_jobs.Reading().run(upload.pk)
    assert stored_files.rows_path(upload).read_text() == "the rival's"
    upload.refresh_from_db()
    assert (upload.state, upload.claim) == (Upload.State.CHECKING, RIVAL)


@pytest.mark.django_db
def test_an_indexing_that_lost_its_lease_commits_nothing(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CORPUS_DIR = tmp_path
    corpus = make_corpus(state=Corpus.State.QUEUED)
    Document.objects.create(
        corpus=corpus, external_id="d", title="Oslo", text="A fjord.", content_hash="h"
    )
    asleep = after(corpora._add_batch, lambda: sleep_past_the_lease(corpus))
    monkeypatch.setattr(corpora, "_add_batch", asleep)
    assert not corpora.Indexing().run(corpus.pk)
    assert TantivyCorpus(corpora.index_path(corpus.slug)).document_count == 0
    assert not Document.objects.filter(is_indexed=True).exists()
    corpus.refresh_from_db()
    assert (corpus.state, corpus.claim) == (Corpus.State.INDEXING, RIVAL)


@pytest.mark.django_db
def test_a_passage_without_lease_is_unchanged(engine: ScriptedEngine) -> None:
    revision = make_revision()

    def ask(passage: object) -> Any:
        sleep_past_the_lease(revision)
        engine.work.ledger.reserve(3)
        raise AssertionError("A model was asked.")

    engine.script = ask
    execution.Revising().run(revision.pk)
    revision.refresh_from_db()
    assert (revision.state, revision.claim) == (Revision.State.RUNNING, RIVAL)
    assert Run.objects.get().calls_spent == 0
