"""A corpus in a tantivy index on disk: BM25 over stemmed words, more for titles.

The index stores whole documents: a reader needs no database. One process writes; any number of
readers see what was committed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Self

import tantivy

from pipeline.rarr.errors import MissingIndex, RarrError
from pipeline.rarr.types import Document

TITLE_BOOST = 2.0
MAX_QUERY_TERMS = 128
"""More words cost time and do not change the ranking."""
WRITER_HEAP_BYTES = 64_000_000
COMMIT_EVERY = 5_000
LONGEST_WORD = 60

# Scripts without spaces between words: kana, Han with its extensions, Hangul, Thai.
_UNSPACED = re.compile(
    "[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003134f]+"
)


class IndexLocked(RarrError):
    """Another process writes to the index."""


class CorpusWriter:
    """Add documents to an index, and replace those with the same id.

    The context manager commits, or drops the rest after an exception. Raises `IndexLocked`.
    """

    def __init__(self, index: Path) -> None:
        index.mkdir(parents=True, exist_ok=True)
        self._schema = _schema()
        try:
            opened = tantivy.Index(self._schema, path=str(index), reuse=True)
            opened.register_tokenizer("words", text_analyzer())
            pairs = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            opened.register_tokenizer("whitespace", pairs)
            # One thread: the same documents in the same order make the same segments.
            self._writer = opened.writer(heap_size=WRITER_HEAP_BYTES, num_threads=1)
        except (OSError, ValueError) as error:
            if "lock" in str(error).lower():
                raise IndexLocked(
                    f"The index {index} is being written by another process: wait for it."
                ) from None
            raise RarrError(
                f"The index {index} cannot be opened ({error}): delete the folder and index again."
            ) from None

        self.document_count = int(opened.searcher().num_docs)
        """Documents in the index when it was opened."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._writer.commit()
        else:
            self._writer.rollback()
        self._writer.wait_merging_threads()

    def add(self, document: Document) -> None:
        self._writer.delete_documents_by_term("id", document.id)
        fields = asdict(document)
        pairs = " ".join(character_pairs(f"{document.title}\n{document.text}"))
        if pairs:
            fields["pairs"] = pairs
        self._writer.add_document(tantivy.Document.from_dict(fields, self._schema))

    def clear(self) -> None:
        """Drop all documents with the next commit."""
        self._writer.delete_all_documents()

    def commit(self) -> None:
        """Save the added documents and show them to readers."""
        self._writer.commit()


def write_index(index: Path, documents: Iterable[Document], *, every: int = COMMIT_EVERY) -> int:
    """Add or replace `documents` in the index at `index`; returns their number.

    Commits every `every` documents; a repetition after a crash changes nothing.
    """
    count = 0
    with CorpusWriter(index) as writer:
        for count, document in enumerate(documents, start=1):
            writer.add(document)
            if count % every == 0:
                writer.commit()
    return count


class TantivyCorpus:
    """A `Retriever` over an index on disk.

    A query is a bag of words without syntax. Equal scores are ordered by document id. Each search
    sees the latest commit. Raises `MissingIndex`.
    """

    def __init__(self, index: Path) -> None:
        self._path = index
        self._schema = _schema()
        self._lock = Lock()
        self._stamp: tuple[int, int, int] = (0, 0, 0)
        self._index: Any = None
        self._fresh_index()

    def search(self, queries: Sequence[str], *, limit: int) -> Sequence[Sequence[Document]]:
        """Return up to `limit` documents per query, best first; none for a query without words."""
        index = self._fresh_index()
        searcher = index.searcher()
        return [self._search_one(searcher, query, limit=limit) for query in queries]

    @property
    def document_count(self) -> int:
        return int(self._fresh_index().searcher().num_docs)

    def _search_one(self, searcher: Any, query: str, *, limit: int) -> list[Document]:
        built = self._build(query)
        if built is None or limit < 1:
            return []
        # A tie across the limit is fetched whole: its order would depend on the index's layout.
        fetch = limit + 8
        while True:
            hits = searcher.search(built, limit=fetch, count=False).hits
            if len(hits) < fetch or hits[-1][0] < hits[limit - 1][0] or fetch >= limit + 2_000:
                break
            fetch *= 4
        last = hits[min(limit, len(hits)) - 1][0] if hits else 0.0
        documents = [
            (-score, _document(searcher.doc(address))) for score, address in hits if score >= last
        ]
        documents.sort(key=lambda pair: (pair[0], pair[1].id))
        return [document for _, document in documents[:limit]]

    def _build(self, query: str) -> Any:
        terms, pairs = query_terms(query)
        clauses = []
        for term in terms:
            in_title = tantivy.Query.term_query(self._schema, "title", term, "freq")
            clauses.append(tantivy.Query.term_query(self._schema, "text", term, "freq"))
            clauses.append(tantivy.Query.boost_query(in_title, TITLE_BOOST))
        for pair in pairs:
            clauses.append(tantivy.Query.term_query(self._schema, "pairs", pair, "freq"))
        if not clauses:
            return None
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, each) for each in clauses])

    def _fresh_index(self) -> Any:
        with self._lock:
            try:
                meta = (self._path / "meta.json").stat()
            except OSError:
                raise MissingIndex(
                    f"No search index at {self._path}: load the corpus again with load_corpus."
                ) from None
            stamp = (meta.st_ino, meta.st_mtime_ns, meta.st_size)
            if self._index is None or stamp != self._stamp:
                try:
                    opened = tantivy.Index.open(str(self._path))
                    opened.config_reader("manual", 0)
                    opened.reload()
                except (OSError, ValueError) as error:
                    raise MissingIndex(
                        f"The search index at {self._path} cannot be read ({error}): "
                        "delete the folder and index the corpus again."
                    ) from None
                self._index, self._stamp = opened, stamp
            return self._index


def query_terms(query: str) -> tuple[list[str], list[str]]:
    """Return a query's distinct words and pairs of characters, at most `MAX_QUERY_TERMS` each."""
    # The index's strings have no half surrogate pairs.
    query = query.encode(errors="replace").decode()
    # "The Who" is all stop words and still a question.
    words = text_analyzer(stop_words=True).analyze(query) or text_analyzer().analyze(query)
    terms = list(dict.fromkeys(words))[:MAX_QUERY_TERMS]
    return terms, list(dict.fromkeys(character_pairs(query)))[:MAX_QUERY_TERMS]


def character_pairs(text: str) -> Iterator[str]:
    """Return neighbouring characters of scripts without spaces.

    >>> list(character_pairs("the 北海道 coast"))
    ['北海', '海道']
    """
    for run in _UNSPACED.findall(text):
        if len(run) == 1:
            yield run
        for start in range(len(run) - 1):
            yield run[start : start + 2]


def _document(stored: Any) -> Document:
    names = ("id", "title", "url", "text")
    return Document(**{name: stored.get_first(name) or "" for name in names})


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("title", stored=True, tokenizer_name="words", index_option="freq")
    builder.add_text_field("text", stored=True, tokenizer_name="words", index_option="freq")
    builder.add_text_field("pairs", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("url", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


@cache
def text_analyzer(*, stop_words: bool = False) -> Any:
    """Return an analyzer: lower-cased, unaccented, stemmed English words.

    Queries differ by `stop_words`: they lose "the", "of", ….
    """
    builder = (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(LONGEST_WORD))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
    )
    if stop_words:
        builder = builder.filter(tantivy.Filter.stopword("english"))
        builder = builder.filter(tantivy.Filter.custom_stopword(_QUESTION_WORDS.split()))
    return builder.filter(tantivy.Filter.stemmer("english")).build()


# What the English stop list leaves of a question.
_QUESTION_WORDS = "what when where which who whom whose why how did does do has have had were s t"
