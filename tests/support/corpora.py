"""Corpora that tests fill, index and search."""

from pathlib import Path

from pipeline.backends.searches import open_index
from pipeline.data import corpora
from pipeline.jobs.queue import mark_for_indexing
from pipeline.models import Corpus
from tests.support.commands import write_lines


def load(corpus: Corpus, folder: Path, texts: dict[str, str]) -> None:
    path, staged = folder / "documents.jsonl", folder / "staged"
    write_lines(path, [{"id": name, "text": text} for name, text in texts.items()])
    assert not corpora.check_documents(corpus, path, staged=staged, update=True).wrong
    corpora.import_documents(corpus, staged)


def index(corpus: Corpus) -> Corpus:
    mark_for_indexing(corpus)
    corpora.Indexing().run(corpus.pk)
    corpus.refresh_from_db()
    return corpus


def search_ids(corpus: Corpus, query: str) -> list[str]:
    searched = open_index(corpora.search_index(corpus))
    return [document.id for document in searched.search([query], limit=9)[0]]
