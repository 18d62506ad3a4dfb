"""A corpus in an OpenSearch index.

The analyzer of the index on disk makes the words and OpenSearch splits them at spaces, so both find
the same documents, by BM25 with k1 = 1.2 and b = 0.75.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass
from typing import Any, Self

from pipeline.backends.opensearch.server import (
    OpenSearchRefused,
    Server,
    missing_index,
    no_answer,
    part_of,
)
from pipeline.backends.retries import RetryableError
from pipeline.backends.tantivy_corpus import (
    TITLE_BOOST,
    character_pairs,
    query_terms,
    text_analyzer,
)
from pipeline.backends.web.addresses import shortened
from pipeline.rarr.errors import MissingIndex
from pipeline.rarr.types import Document

FORMAT = 1
"""Of the index format; part of its name."""
BULK_BYTES = 8_000_000
"""Of one request, unless one document is longer. Hosted servers refuse more than 10 MB."""
WRITING_PATIENCE = 120.0
"""Seconds for all attempts of a batch at a busy server."""
_WORDS = {"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
_STORED_ONLY = {"type": "text", "index": False}
_SEARCHED = ("words", "title_words", "pairs")
_STORED = ("id", "title", "url", "text")
MAPPING = {
    "mappings": {
        "dynamic": "strict",
        "_source": {"excludes": list(_SEARCHED)},
        "properties": {
            "id": {"type": "keyword"},
            **dict.fromkeys(_STORED[1:], _STORED_ONLY),
            **dict.fromkeys(_SEARCHED, _WORDS),
        },
    }
}


@dataclass(frozen=True, kw_only=True)
class OpenSearchIndex:
    """One index; methods raise what `Server.ask` does."""

    server: Server
    name: str

    def count(self) -> int:
        """Raises `MissingIndex`."""
        return part_of(self.ask("/_count"), "count", kind=int)

    def make(self) -> None:
        """Create the index, empty."""
        self.delete()
        try:
            self.ask("", method="PUT", body=json.dumps(MAPPING))
        except OpenSearchRefused as refusal:
            # An attempt may have succeeded without its response.
            try:
                self.count()
            except MissingIndex:
                raise refusal from None

    def delete(self) -> None:
        with suppress(MissingIndex):
            self.ask("", method="DELETE")

    def ask(self, path: str, *, method: str = "", body: str | None = None) -> Any:
        return self.server.patiently(
            lambda: self.server.ask(f"/{self.name}{path}", method=method, body=body)
        )


class OpenSearchWriter:
    """A `CorpusWriter` that sends documents with `commit`.

    The caller holds the corpus's lease: nothing else excludes a second writer.
    """

    def __init__(self, index: OpenSearchIndex) -> None:
        self._index = index
        self._waiting: list[tuple[str, str]] = []
        try:
            self.document_count = index.count()
            """Documents in the index when it was opened."""
        except MissingIndex:
            self.document_count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.commit()

    def add(self, document: Document) -> None:
        source = {
            **asdict(document),
            "words": " ".join(text_analyzer().analyze(document.text)),
            "title_words": " ".join(text_analyzer().analyze(document.title)),
            "pairs": " ".join(character_pairs(f"{document.title}\n{document.text}")),
        }
        self._waiting.append((document.id, json.dumps(source, ensure_ascii=False)))

    def clear(self) -> None:
        self._index.make()

    def commit(self) -> None:
        """Write the added documents and make them searchable; repeatable.

        Raises `TransientError` for a busy server, `OpenSearchRefused` for a refused document.
        """
        if not self._waiting:
            return
        for some in _batches(self._waiting):
            self._write(some)
        self._index.ask("/_refresh")
        self._waiting = []

    def _write(self, waiting: list[tuple[str, str]]) -> None:
        count = len(waiting)

        def ask() -> None:
            nonlocal waiting
            lines = (f'{{"index":{{"_id":"{_key(name)}"}}}}\n{line}\n' for name, line in waiting)
            plain = self._index.server.ask(f"/{self._index.name}/_bulk", body="".join(lines))
            waiting = _refused_by_overload(waiting, plain)
            if waiting:
                raise RetryableError(
                    f"it is busy, and has not taken {len(waiting):,} of {count:,} documents."
                )

        self._index.server.patiently(ask, patience=WRITING_PATIENCE, tries=None)


class OpenSearchCorpus:
    """A `Retriever` over an index; equal scores are ordered by document id.

    Raises `MissingIndex`, `TransientError` for a missing part, and as `Server.ask`.
    """

    def __init__(self, index: OpenSearchIndex) -> None:
        self._index = index

    @property
    def document_count(self) -> int:
        return self._index.count()

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]:
        """Return at most `limit` documents for each query, best first, by one request.

        A query without a word gets none.
        """
        documents: list[Sequence[Document]] = [[] for _ in queries]
        bodies = {
            index: body
            for index, query in enumerate(queries)
            if limit > 0 and (body := _body(*query_terms(query), limit=limit))
        }
        if bodies:
            # Statistics of all shards, and always the same copies of them: else equal searches
            # could have unequal scores.
            header = {"search_type": "dfs_query_then_fetch", "preference": "rarrweb"}
            lines = "".join(
                f"{json.dumps(header)}\n{json.dumps(body)}\n" for body in bodies.values()
            )
            answers = self._index.server.patiently(lambda: self._answers(lines, len(bodies)))
            documents = [answers.pop(0) if index in bodies else [] for index in range(len(queries))]
        return documents

    def _answers(self, lines: str, count: int) -> list[list[Document]]:
        plain = self._index.server.ask(f"/{self._index.name}/_msearch", body=lines)
        answers = part_of(plain, "responses", kind=list)
        if len(answers) != count:
            raise no_answer()
        return [_documents(answer, self._index.name) for answer in answers]


def index_name(slug: str, *, made: str) -> str:
    """Return the name of a corpus's index with its version, as `rarrweb-rivers-v1-3f2a9c41`.

    `made` distinguishes corpora with the same slug.
    """
    return f"rarrweb-{slug}-v{FORMAT}-{hashlib.sha256(made.encode()).hexdigest()[:8]}"


def _key(name: str) -> str:
    """Return OpenSearch's id of a document: ours may exceed its 512 bytes."""
    return hashlib.sha256(name.encode()).hexdigest()


def _batches(waiting: list[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    batch: list[tuple[str, str]] = []
    size = 0
    for pair in waiting:
        length = len(pair[1].encode())
        if batch and size + length > BULK_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(pair)
        size += length
    yield batch


def _refused_by_overload(waiting: list[tuple[str, str]], plain: Any) -> list[tuple[str, str]]:
    """Return the documents that a busy server refused; raises for a permanent refusal."""
    items = part_of(plain, "items", kind=list)
    if len(items) != len(waiting):
        raise no_answer()
    refused = []
    for pair, item in zip(waiting, items, strict=True):
        status = part_of(item, "index", "status", kind=int)
        if _is_overloaded(status):
            refused.append(pair)
        elif status >= 300:
            raise OpenSearchRefused(
                f"OpenSearch refuses the document {shortened(pair[0])!r} (status {status}"
                f"{_kind(item['index'])}). See its log."
            )
    return refused


def _is_overloaded(status: int) -> bool:
    return status == 429 or status >= 500


def _kind(answer: Any) -> str:
    """Return OpenSearch's name of an error, without its sentences, which quote documents."""
    error = answer.get("error")
    kind = error.get("type") if isinstance(error, dict) else None
    return f", {kind}" if isinstance(kind, str) and kind.isidentifier() and len(kind) < 80 else ""


def _body(words: list[str], pairs: list[str], *, limit: int) -> dict[str, Any] | None:
    if not words and not pairs:
        return None
    text = " ".join(words)
    should = [
        {"match": {"words": {"query": text}}},
        {"match": {"title_words": {"query": text, "boost": TITLE_BOOST}}},
        {"match": {"pairs": {"query": " ".join(pairs)}}},
    ]
    return {
        "query": {"bool": {"should": should}},
        "sort": [{"_score": "desc"}, {"id": "asc"}],
        "size": limit,
        "_source": list(_STORED),
        "track_total_hits": False,
    }


def _documents(answer: Any, name: str) -> list[Document]:
    if not isinstance(answer, dict):
        raise no_answer()
    if "error" in answer:
        status = answer.get("status")
        if status == 404:
            raise missing_index(name)
        if isinstance(status, int) and not _is_overloaded(status):
            raise OpenSearchRefused(
                f"OpenSearch refuses the search (status {status}{_kind(answer)})."
            )
        raise RetryableError(f"the search in {name} failed{_kind(answer)}.")
    try:
        if answer["timed_out"] or answer["_shards"]["failed"]:
            raise RetryableError(f"only a part of the index {name} answered.")
        sources = [hit["_source"] for hit in answer["hits"]["hits"]]
        documents = [Document(**{field: source[field] for field in _STORED}) for source in sources]
    except (KeyError, TypeError):
        raise no_answer() from None
    if not all(isinstance(text, str) for each in documents for text in astuple(each)):
        raise no_answer()
    return documents
