"""A corpus in OpenSearch, against a server that answers like it and fails like it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.backends.opensearch import corpus as module
from pipeline.backends.opensearch import server as transport
from pipeline.backends.opensearch.corpus import (
    OpenSearchCorpus,
    OpenSearchIndex,
    OpenSearchWriter,
    index_name,
)
from pipeline.backends.opensearch.server import OpenSearchRefused, Server
from pipeline.backends.retries import TRIES
from pipeline.backends.tantivy_corpus import TantivyCorpus, write_index
from pipeline.rarr.errors import BadConfig, MissingIndex, RarrError, TransientError
from pipeline.rarr.types import Document
from tests.pipeline.backends.test_tantivy_corpus import doc
from tests.support.opensearch_server import PASSWORD, Fault, OpenSearchServer

NAME = index_name("rivers", made="2026-11-24")


RIVERS = [
    doc("ribble", "# Course\nIt runs west to the Irish Sea.", "River Ribble", "https://ex.org/r"),
    doc("tees", "It runs east to the North Sea; salmon run up the Tees.", "River Tees"),
    doc("bridge", "A bridge over the Ribble was built in 1755.", "Old bridge"),
    doc("who", "A band that was on tour by the sea.", "The Who"),
    doc("ishikari", "石狩川は北海道を流れる川である。", "石狩川"),
    doc("b", "The same words.", "Twin"),
    doc("a", "The same words.", "Twin"),
]
WORDLESS = ["?!", "zzz"]
QUERIES = ["river Ribble", "who ran to the sea?", "北海道の川", "the who", "same words", *WORDLESS]


@pytest.fixture
def server() -> Iterator[OpenSearchServer]:
    with OpenSearchServer() as running:
        yield running


@pytest.fixture
def index(server: OpenSearchServer) -> OpenSearchIndex:
    return OpenSearchIndex(server=server.client(), name=NAME)


def write(index: OpenSearchIndex, documents: list[Document]) -> None:
    with OpenSearchWriter(index) as writer:
        if not writer.document_count:
            writer.clear()
        for document in documents:
            writer.add(document)


def ids(index: OpenSearchIndex, query: str, limit: int = 9) -> list[str]:
    return [each.id for each in OpenSearchCorpus(index).search([query], limit=limit)[0]]


def test_queries_find_what_they_find_on_the_disk(index: OpenSearchIndex, tmp_path: Path) -> None:
    write(index, RIVERS)
    write_index(tmp_path, RIVERS)
    results = OpenSearchCorpus(index).search(QUERIES, limit=9)
    assert results == TantivyCorpus(tmp_path).search(QUERIES, limit=9)
    assert list(map(len, results)) == [3, 3, 1, 6, 2, 0, 0]
    assert ids(index, "same words", limit=1) == ["a"], "equal scores are ordered by id"


def test_all_queries_are_one_request(server: OpenSearchServer, index: OpenSearchIndex) -> None:
    write(index, RIVERS)
    server.received.clear()
    OpenSearchCorpus(index).search(["Ribble", "", "Tees"], limit=2)
    assert server.received == [f"POST /{NAME}/_msearch"]
    assert OpenSearchCorpus(index).search(["", "?"], limit=2) == [[], []]
    assert OpenSearchCorpus(index).search(["Ribble"], limit=0) == [[]]
    assert len(server.received) == 1


def test_a_document_replaces_the_first(server: OpenSearchServer, index: OpenSearchIndex) -> None:
    long = "i" * 500
    write(index, [doc(long, "Old words."), doc("b", "Others.")])
    write(index, [doc(long, "New words.")])
    assert index.count() == 2
    assert (ids(index, "old"), ids(index, "new")) == ([], [long])
    assert all(len(key) <= 512 for key in server.indexes[NAME].written)


def test_a_text_is_returned_unchanged(index: OpenSearchIndex) -> None:
    odd = doc('a "quoted"\\ id', "One\nTwo\u2028Three\x85Four \x00 🌊 Fünf.", "A\ttitle")
    write(index, [odd])
    assert OpenSearchCorpus(index).search(["three"], limit=1) == [[odd]]


def test_an_exception_rolls_back(server: OpenSearchServer, index: OpenSearchIndex) -> None:
    write(index, RIVERS)
    writer = OpenSearchWriter(index)
    writer.add(doc("new", "New."))
    writer.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert index.count() == len(RIVERS) == len(server.indexes[NAME].written)


def sent_ids(server: OpenSearchServer) -> list[list[str]]:
    """The ids of the documents of each bulk request."""
    pairs = zip(server.received, server.bodies, strict=True)
    bulks = [body.splitlines() for request, body in pairs if request.endswith("/_bulk")]
    return [[json.loads(line)["id"] for line in lines[1::2]] for lines in bulks]


def test_a_commit_is_cut_into_requests_of_bounded_size(
    server: OpenSearchServer, index: OpenSearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BULK_BYTES", 1_000)
    write(index, [doc(str(number), "word " * 50) for number in range(5)])
    assert sent_ids(server) == [[str(number)] for number in range(5)]
    assert index.count() == 5


def test_refused_documents_are_resent(server: OpenSearchServer, index: OpenSearchIndex) -> None:
    server.refusals.update({"tees": 2, "who": 1})
    write(index, RIVERS)
    assert sent_ids(server)[1:] == [["tees", "who"], ["tees"]]
    assert len(server.waited) == 2
    assert index.count() == len(RIVERS)


def test_a_refused_document_or_search_is_named(
    server: OpenSearchServer, index: OpenSearchIndex
) -> None:
    server.refused["tees"] = "mapper_parsing_exception"
    with pytest.raises(OpenSearchRefused) as caught:
        write(index, RIVERS)
    assert "'tees' (status 400, mapper_parsing_exception)" in str(caught.value)
    assert "salmon" not in str(caught.value)
    refusal = {"error": {"type": "parsing_exception", "reason": "secret"}, "status": 400}
    server.faults.append(Fault(part="_msearch", body=responses(refusal)))
    with pytest.raises(OpenSearchRefused, match=r"status 400, parsing_exception\)"):
        ids(index, "Tees")
    assert server.waited == []


def test_a_server_that_stays_unavailable_is_an_error(
    server: OpenSearchServer, index: OpenSearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WRITING_PATIENCE", 0.0)
    server.refusals["tees"] = 99
    with pytest.raises(TransientError, match="has not taken 1 of 7 documents"):
        write(index, RIVERS)


def test_a_requested_wait_is_observed(server: OpenSearchServer, index: OpenSearchIndex) -> None:
    write(index, RIVERS)
    server.faults.append(Fault(part="_msearch", status=429, headers=(("Retry-After", "3"),)))
    assert ids(index, "Tees") == ["tees"]
    assert server.waited[0] >= 3


PART = {"timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": []}, "status": 200}
SOURCE = {"id": "a", "title": "", "url": "", "text": "t"}


def responses(*answers: Any) -> bytes:
    return json.dumps({"responses": answers}).encode()


NO_LISTS = [b"<html>", b"", b'{"responses": [', b"[" * 100_000, b"[]", b"{}", b'{"responses": 5}']
NO_HITS = [5, {}, {"_source": {**SOURCE, "text": None}}]
WRONG = [{"hits": {}}, {"_shards": 1}, *({"hits": {"hits": [hit]}} for hit in NO_HITS)]
PARTIAL = [{"timed_out": True}, {"_shards": {"total": 2, "failed": 1}}]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        *(({"body": body}, "does not respond like OpenSearch") for body in NO_LISTS),
        *(
            ({"body": responses(*answers)}, "does not respond like OpenSearch")
            for answers in ((), (PART, PART), (5,), ({},), *(({**PART, **each},) for each in WRONG))
        ),
        *(({"status": code}, f"status {code}") for code in (429, 500, 502, 503)),
        ({"body": b"<html>", "media_type": "text/html"}, "is text/html"),
        *(({"body": responses({**PART, **each})}, "only a part") for each in PARTIAL),
        ({"body": responses({"error": {"type": "phase"}, "status": 503})}, "phase"),
    ],
)
def test_an_incomplete_response_is_worth_another_try_later(
    server: OpenSearchServer, index: OpenSearchIndex, fault: dict[str, Any], expected: str
) -> None:
    write(index, RIVERS)
    server.faults += [Fault(part="_msearch", **fault)] * TRIES
    with pytest.raises(TransientError, match=expected):
        ids(index, "Tees")
    server.faults.clear()
    assert ids(index, "Tees") == ["tees"]


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"items": []}', b'{"items": [{}]}', b"<html>"])
def test_garbage_is_an_error(server: OpenSearchServer, index: OpenSearchIndex, body: bytes) -> None:
    server.faults.append(Fault(part="_bulk", body=body))
    with pytest.raises(TransientError, match="does not respond like OpenSearch"):
        write(index, RIVERS[:1])


def test_a_server_that_reports_nothing_is_not_waited_for(
    server: OpenSearchServer, index: OpenSearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "LIMITS", replace(transport.LIMITS, seconds=0.2))
    server.faults += [Fault(part="_msearch", pause=30.0)] * TRIES
    with pytest.raises(TransientError, match="took longer than"):
        ids(index, "Tees")


def test_a_missing_index_or_server_is_named(index: OpenSearchIndex) -> None:
    with pytest.raises(MissingIndex, match=f"no index {NAME}: press"):
        ids(index, "Tees")
    with pytest.raises(MissingIndex):
        index.count()
    index.delete()
    assert OpenSearchWriter(index).document_count == 0
    with OpenSearchServer() as stopped:
        client = stopped.client()
    with pytest.raises(TransientError, match=r"cannot be reached \(no connection\)"):
        OpenSearchIndex(server=client, name=NAME).count()


def test_an_unanswered_creation_counts(server: OpenSearchServer, index: OpenSearchIndex) -> None:
    # Neither the first deletion nor the making is answered.
    server.faults += [Fault(part=NAME, status=503, is_heard=True)] * 2
    write(index, RIVERS)
    assert index.count() == len(RIVERS)


def test_a_failed_creation_is_a_refusal(server: OpenSearchServer, index: OpenSearchIndex) -> None:
    server.faults += [Fault(part=NAME, status=404), Fault(part=NAME, status=400)]
    with pytest.raises(OpenSearchRefused, match="status 400"):
        write(index, RIVERS)


def test_a_new_index_is_empty_though_another_existed(index: OpenSearchIndex) -> None:
    write(index, RIVERS)
    with OpenSearchWriter(index) as writer:
        assert writer.document_count == len(RIVERS)
        writer.clear()
    assert index.count() == 0


def test_a_wrong_password_is_named_and_the_password_in_no_text(server: OpenSearchServer) -> None:
    wrong = Server.read(server.address.replace("s3cret", "guess"))
    with pytest.raises(BadConfig, match="correct user and password in RARR_OPENSEARCH"):
        OpenSearchIndex(server=wrong, name=NAME).count()
    client = server.client()
    index = OpenSearchIndex(server=client, name=NAME)
    texts = [repr(client), repr(index), str(client)]
    for status in (400, 401, 404, 413, 429, 500):
        server.faults += [Fault(part="_count", status=status)] * TRIES
        with pytest.raises(RarrError) as caught:
            index.count()
        texts.append(str(caught.value))
        server.faults.clear()
    assert not [each for each in texts if "s3cret" in each or "secret words" in each]
    assert client.authorization.startswith("Basic ")


def test_an_address_is_stored_without_its_user() -> None:
    assert Server.read("https://u:p@search.lab:9200").url == "https://search.lab:9200"
    assert Server.read("https://u:p@search.lab/os/").url == "https://search.lab:443/os"
    assert Server.read("http://[::1]:9200").url == "http://[::1]:9200"


HOSTS = ["", "h:x", "h?a=b", "0x7f.1:9200"]
OTHERS = ["s3cret", "ftp://u:s3cret@h", "https://u:s3/cret@h", "https://[u:s3cret@h"]


@pytest.mark.parametrize("text", [*(f"https://u:s3cret@{host}" for host in HOSTS), *OTHERS])
def test_an_address_that_cannot_be_right_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(BadConfig) as caught:
        Server.read(text)
    assert "RARR_OPENSEARCH is not the address" in str(caught.value)
    assert "s3" not in str(caught.value)


@pytest.mark.parametrize(
    ("root", "version"),
    [
        ({"version": {"distribution": "opensearch", "number": "3.1.0"}}, "opensearch 3.1.0"),
        ({"version": {"number": "8.15.0"}}, "elasticsearch 8.15.0"),
    ],
)
def test_the_version(server: OpenSearchServer, root: Any, version: str) -> None:
    server.root = root
    assert server.client().version() == version
    for other in ({}, [], {"version": 5}, {"version": {"number": 5}}):
        server.root = other
        with pytest.raises(TransientError, match="does not respond like OpenSearch"):
            server.client().version()


def test_the_names_of_indexes_of_one_slug_differ() -> None:
    first, second = (index_name("rivers", made=made) for made in ("2025", "2026"))
    assert first != second
    assert first.startswith("rarrweb-rivers-v1-")
    assert PASSWORD not in first
