"""Corpora in OpenSearch: indexed, resumed, searched, deleted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from pipeline.backends.opensearch.server import Server
from pipeline.data import corpora
from pipeline.data.deletion import corpus_deletion_preview, delete_corpus
from pipeline.engine.configuration import RunConfig
from pipeline.models import Corpus, Document, Revision, Run
from pipeline.rarr.errors import MissingIndex
from pipeline.runs import execution
from pipeline.runs.start import RunRefused, start_run, start_runs
from rarrweb.accounts.models import User
from rarrweb.operations.doctor.findings import State
from rarrweb.operations.doctor.services import check_search
from rarrweb.web.deletion import DeletionRefused
from tests.support.corpora import index, load, search_ids
from tests.support.factories import make_corpus, make_passage
from tests.support.opensearch_server import Fault, OpenSearchServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("state_folder")]
TEXTS = {"a": "The Ribble runs west.", "b": "The Tees runs east.", "c": "The Tyne, too."}
GARBAGE = Fault(part="", body=b"<html>")
"""What ends a request at once: no try follows."""


@pytest.fixture
def server(settings: Settings) -> Iterator[OpenSearchServer]:
    with OpenSearchServer() as running:
        settings.RARR_OPENSEARCH = running.address
        yield running


@pytest.fixture
def rivers(tmp_path: Path) -> Corpus:
    corpus = make_corpus(slug="rivers", name="Rivers")
    load(corpus, tmp_path, TEXTS)
    return corpus


def test_a_corpus_is_indexed_in_no_folder_and_only_changes_are_sent_again(
    server: OpenSearchServer, rivers: Corpus, tmp_path: Path
) -> None:
    index(rivers)
    assert (rivers.state, rivers.indexed_count) == (Corpus.State.READY, 3)
    assert list(server.indexes) == [rivers.indexed_in]
    assert rivers.indexed_in.startswith("rarrweb-rivers-v1-")
    assert search_ids(rivers, "tees") == ["b"]
    assert not corpora.index_path("rivers").exists()
    load(rivers, tmp_path, TEXTS | {"b": "The Wear runs east."})
    server.bodies.clear()
    index(rivers)
    (sent,) = [body for body in server.bodies if body]
    assert json.loads(sent.splitlines()[1])["text"] == "The Wear runs east."
    assert (search_ids(rivers, "tees"), search_ids(rivers, "wear")) == ([], ["b"])


def test_while_the_server_fails_the_corpus_waits_and_gives_the_reason(
    server: OpenSearchServer, rivers: Corpus, as_researcher: Client, tmp_path: Path
) -> None:
    server.faults.append(Fault(part="_count", body=b"<html>"))
    waiting = "The index waits: The server does not respond like OpenSearch"
    with pytest.raises(CommandError, match=waiting) as caught:
        call_command("load_corpus", str(tmp_path / "documents.jsonl"), "--name", "rivers")
    assert caught.value.returncode == 2
    server.faults.append(Fault(part="_bulk", body=b"<html>"))
    index(rivers)
    assert (rivers.state, rivers.claim) == (Corpus.State.QUEUED, "")
    page = as_researcher.get(reverse("pipeline:corpus-status", args=["rivers"])).content.decode()
    assert "does not respond like OpenSearch. It is tried again every minute." in page
    assert corpora.Indexing().run(rivers.pk)
    rivers.refresh_from_db()
    assert (rivers.state, rivers.error) == (Corpus.State.READY, "")


def test_a_document_that_is_refused_is_named_on_the_corpus(
    server: OpenSearchServer, rivers: Corpus
) -> None:
    server.refused["b"] = "mapper_parsing_exception"
    index(rivers)
    assert rivers.state == Corpus.State.FAILED
    assert "the document 'b' (status 400, mapper_parsing_exception)" in rivers.error


def test_a_corpus_moves_when_it_is_indexed_again_and_is_refused_until_then(
    rivers: Corpus, settings: Settings, as_researcher: Client, tmp_path: Path
) -> None:
    index(rivers)
    with OpenSearchServer() as server:
        settings.RARR_OPENSEARCH = server.address
        with pytest.raises(MissingIndex, match=r"not indexed in OpenSearch .* but on the disk"):
            search_ids(rivers, "tees")
        page = as_researcher.get(reverse("pipeline:search-corpus", args=["rivers"]), {"q": "tees"})
        assert "no search index yet" in page.content.decode()
        index(rivers)
        assert search_ids(rivers, "tees") == ["b"]
        assert not corpora.index_path("rivers").exists()
        load(rivers, tmp_path, TEXTS | {"b": "The Wear runs east."})
        index(rivers)
    settings.RARR_OPENSEARCH = ""
    with pytest.raises(MissingIndex, match="not indexed on the disk but in OpenSearch"):
        search_ids(rivers, "wear")
    index(rivers)
    assert (search_ids(rivers, "wear"), rivers.indexed_in) == (["b"], "")


def test_an_index_that_lost_its_documents_or_is_gone_is_made_again(
    server: OpenSearchServer, rivers: Corpus
) -> None:
    index(rivers)
    server.indexes.clear()
    index(rivers)
    assert sorted(search_ids(rivers, "ribble tees tyne")) == ["a", "b", "c"]
    stored = server.indexes[rivers.indexed_in]
    stored.seen.clear()
    stored.mapping = {}
    index(rivers)
    assert sorted(search_ids(rivers, "ribble tees tyne")) == ["a", "b", "c"]
    assert server.indexes[rivers.indexed_in].mapping["dynamic"] == "strict"


@pytest.mark.django_db(transaction=True)
def test_no_request_to_opensearch_is_inside_a_transaction(
    rivers: Corpus, researcher: User, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """A slow server would hold SQLite's write lock, and everybody would wait."""
    requests: list[bool] = []
    ask = Server.ask

    def noted(server: Server, *given: Any, **values: Any) -> Any:
        requests.append(connection.in_atomic_block)
        return ask(server, *given, **values)

    with OpenSearchServer() as server:
        settings.RARR_OPENSEARCH = server.address
        index(rivers)
        monkeypatch.setattr(Server, "ask", noted)
        runs = start_runs(
            dataset=make_passage(text="The Tees runs west.").dataset,
            corpus=rivers,
            configs=[RunConfig.from_settings(), RunConfig.from_settings()],
            created_by=researcher,
        )
        index_name = f"{rivers.indexed_in} in opensearch 2.19.1"
        assert [run.versions["search index"] for run in runs] == [index_name] * 2
        Run.objects.all().delete()
        lost = corpus_deletion_preview(rivers).lost
        assert ("Search index in OpenSearch", rivers.indexed_in) in lost
        delete_corpus(rivers)
        assert server.indexes == {}
        assert not Document.objects.exists()
    assert requests
    assert not any(requests)


def test_a_corpus_whose_index_cannot_be_deleted_stays(
    server: OpenSearchServer, rivers: Corpus, settings: Settings
) -> None:
    index(rivers)
    server.faults.append(GARBAGE)
    with pytest.raises(DeletionRefused, match="does not respond like OpenSearch"):
        delete_corpus(rivers)
    settings.RARR_OPENSEARCH = ""
    with pytest.raises(DeletionRefused, match="RARR_OPENSEARCH is not set"):
        delete_corpus(rivers)
    assert rivers.documents.count() == 3
    assert list(server.indexes) == [rivers.indexed_in]


def run_over(corpus: Corpus, researcher: User) -> Revision:
    dataset, config = make_passage(text="The Tees runs west.").dataset, RunConfig.from_settings()
    run = start_run(dataset=dataset, corpus=corpus, config=config, created_by=researcher)
    return run.revisions.get()


def test_a_run_freezes_the_index_finds_its_evidence_there_and_needs_the_server(
    server: OpenSearchServer, rivers: Corpus, researcher: User
) -> None:
    row = run_over(index(rivers), researcher)
    assert row.run.versions["search index"] == f"{rivers.indexed_in} in opensearch 2.19.1"
    execution.Revising().run(row.pk)
    row.refresh_from_db()
    assert (row.state, row.failure_message) == (Revision.State.DONE, "")
    assert "The Ribble runs west." in json.dumps(row.result)
    assert f"POST /{rivers.indexed_in}/_msearch" in server.received
    server.faults.append(GARBAGE)
    refusal = "Nothing can be searched: The server does not respond like OpenSearch"
    with pytest.raises(RunRefused, match=refusal):
        run_over(rivers, researcher)


def test_a_passage_waits_while_the_server_fails_and_never_uses_another_index(
    server: OpenSearchServer, rivers: Corpus, researcher: User, settings: Settings
) -> None:
    row = run_over(index(rivers), researcher)
    server.faults.append(Fault(part="_msearch", body=b"<html>"))
    execution.Revising().run(row.pk)
    row.refresh_from_db()
    assert (row.state, row.failure) == (Revision.State.QUEUED, "TransientError")
    Revision.objects.update(not_before=None)
    settings.RARR_OPENSEARCH = ""
    index(rivers)
    execution.Revising().run(row.pk)
    row.refresh_from_db()
    assert row.state == Revision.State.FAILED
    assert "started over the corpus in OpenSearch" in row.failure_message
    assert "now it is on the disk" in row.failure_message


def test_the_doctor_checks_the_server_and_its_indexes(
    server: OpenSearchServer, rivers: Corpus, settings: Settings
) -> None:
    index(rivers)
    assert check_search().state is State.OK
    server.indexes[rivers.indexed_in].seen.popitem()
    assert "rivers has 2 of 3 documents" in check_search().message
    server.indexes.clear()
    assert "rivers has 0 of 3 documents" in check_search().message
    server.faults.append(GARBAGE)
    assert "RARR_OPENSEARCH" in check_search().fix
    settings.RARR_OPENSEARCH = server.address.replace("s3cret", "guess")
    message = check_search().message
    assert "correct user and password" in message
    assert "guess" not in message
