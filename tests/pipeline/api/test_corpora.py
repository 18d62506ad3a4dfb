"""Corpora over the API: documents come in whole, and the index follows."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from pipeline.data.corpora import Indexing
from pipeline.models import Corpus, Document
from tests.support.api import errors_of
from tests.support.factories import make_corpus

pytestmark = pytest.mark.django_db
JSON = {"content_type": "application/json"}


@pytest.fixture
def corpus(program: Client) -> Any:
    return program.post("/api/corpora/", {"name": "Atlas"}, **JSON).json()


def test_documents_come_in_and_are_indexed(program: Client, corpus: Any) -> None:
    assert (corpus["slug"], corpus["state"]) == ("atlas", "empty")
    documents = [{"id": "r", "title": "Ribble", "url": "https://a.test/r", "text": "It flows."}]
    added = program.post("/api/corpora/atlas/documents/", {"documents": documents}, **JSON)
    assert (added.status_code, added.json()["new_count"]) == (201, 1)
    assert program.get("/api/corpora/atlas/").json()["state"] == "queued"
    Indexing().run(Corpus.objects.get().pk)
    ready = program.get("/api/corpora/atlas/").json()
    assert (ready["state"], ready["document_count"], ready["indexed_count"]) == ("ready", 1, 1)
    rows = program.get("/api/corpora/atlas/documents/?is_indexed=true").json()["results"]
    assert [(row["external_id"], row["title"]) for row in rows] == [("r", "Ribble")]
    again = program.post("/api/corpora/atlas/index/")
    assert (again.status_code, again.json()["state"]) == (202, "queued")


def test_several_texts_come_in_as_files(program: Client, corpus: Any) -> None:
    files = [SimpleUploadedFile(f"{name}.md", f"# {name}\nText.".encode()) for name in "ab"]
    assert program.post("/api/corpora/atlas/documents/", {"files": files}).status_code == 201
    assert Document.objects.count() == 2


def test_a_wrong_document_refuses_them_all(program: Client, corpus: Any) -> None:
    documents = [{"text": "Good."}, {"title": "No text"}]
    sent = program.post("/api/corpora/atlas/documents/", {"documents": documents}, **JSON)
    assert [each["attr"] for each in errors_of(sent, 400)] == ["documents.1.text"]
    assert not Document.objects.exists()


def test_lists_narrow_by_state(program: Client) -> None:
    make_corpus(state=Corpus.State.READY), make_corpus()
    rows = program.get("/api/corpora/?state=ready").json()["results"]
    assert [row["state"] for row in rows] == ["ready"]
    errors_of(program.get("/api/corpora/?state=unknown"), 400)
