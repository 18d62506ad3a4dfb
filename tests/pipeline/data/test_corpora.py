"""Documents into corpora, and corpora into indexes that can be resumed and remade."""

import json
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from pipeline.backends.tantivy_corpus import CorpusWriter, TantivyCorpus
from pipeline.data import corpora
from pipeline.data.corpora import (
    check_documents,
    forget_index,
    import_documents,
    index_corpus,
    index_path,
)
from pipeline.jobs.queue import mark_for_indexing
from pipeline.models import Corpus, Document
from tests.support.factories import make_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def corpus_dir(tmp_path: Path, settings) -> Iterator[None]:  # type: ignore[no-untyped-def]
    settings.CORPUS_DIR = tmp_path / "corpora"
    return


def load(corpus: Corpus, folder: Path, texts: dict[str, str]) -> None:
    path = folder / "documents.jsonl"
    rows = [json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items()]
    path.write_text("".join(rows))
    staged = folder / "staged"
    assert not check_documents(corpus, path, staged=staged).wrong
    import_documents(corpus, staged)


def index(corpus: Corpus) -> None:
    mark_for_indexing(corpus)
    index_corpus(corpus.pk)
    corpus.refresh_from_db()


def found(corpus: Corpus, query: str) -> list[str]:
    search = TantivyCorpus(index_path(corpus.slug))
    return [document.id for document in search.search([query], limit=9)[0]]


def test_documents_come_in_and_wait_to_be_indexed(tmp_path: Path) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "One.", "b": "Two."})
    assert corpus.document_count == 2
    assert not corpus.documents.filter(is_indexed=True).exists()


def test_an_indexed_corpus_is_ready_and_can_be_searched(tmp_path: Path) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "The Ribble runs west.", "b": "The Tees runs east."})
    index(corpus)
    assert (corpus.state, corpus.indexed_count) == (Corpus.State.READY, 2)
    assert corpus.claim == ""
    assert found(corpus, "ribble") == ["a"]


def test_the_same_documents_twice_add_nothing_and_index_nothing(tmp_path: Path) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "One.", "b": "Two."})
    index(corpus)
    load(corpus, tmp_path, {"a": "One.", "b": "Two."})
    assert corpus.document_count == 2
    assert corpus.documents.filter(is_indexed=True).count() == 2


def test_only_what_changed_is_indexed_again(tmp_path: Path) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "Old words.", "b": "Others."})
    index(corpus)
    load(corpus, tmp_path, {"a": "New words.", "b": "Others."})
    assert list(corpus.documents.filter(is_indexed=False).values_list("external_id")) == [("a",)]
    index(corpus)
    assert found(corpus, "old") == []
    assert found(corpus, "new") == ["a"]
    assert corpus.indexed_count == 2


def test_progress_is_written_down_batch_by_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "COMMIT_DOCUMENTS", (2, 1))
    corpus = make_corpus()
    load(corpus, tmp_path, {name: f"Text {name}." for name in "abcde"})
    told: list[int] = []
    mark_for_indexing(corpus)
    index_corpus(corpus.pk, progress=told.append)
    assert told == [2, 4, 5]


def test_a_killed_job_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "COMMIT_DOCUMENTS", (2, 1))
    corpus = make_corpus()
    load(corpus, tmp_path, {name: f"Text {name}." for name in "abcde"})
    mark_for_indexing(corpus)

    class Killed(BaseException):
        """What no `except Exception` sees, as a kill would be."""

    def kill(done: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        index_corpus(corpus.pk, progress=kill)
    corpus.refresh_from_db()
    assert (corpus.state, corpus.indexed_count) == (Corpus.State.INDEXING, 2)
    assert not index_corpus(corpus.pk), "the lease of the dead still holds"
    Corpus.objects.filter(pk=corpus.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    told: list[int] = []
    assert index_corpus(corpus.pk, progress=told.append)
    assert told == [3, 4, 5], "one by one after a death"
    assert TantivyCorpus(index_path(corpus.slug)).document_count == 5


def test_an_index_whose_folder_is_gone_is_made_again(tmp_path: Path) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "One.", "b": "Two."})
    index(corpus)
    shutil.rmtree(index_path(corpus.slug))
    index(corpus)
    assert found(corpus, "one two") == ["a", "b"]


def test_a_crash_before_the_rows_were_marked_again_loses_no_document(tmp_path: Path) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "One.", "b": "Two."})
    index(corpus)
    shutil.rmtree(index_path(corpus.slug))
    with CorpusWriter(index_path(corpus.slug)):
        pass  # the new index is there and empty, and the rows still say that they are in it
    index(corpus)
    assert found(corpus, "one two") == ["a", "b"]


def test_an_unreadable_index_is_made_again(tmp_path: Path) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "One.", "b": "Two."})
    index(corpus)
    (index_path(corpus.slug) / "meta.json").write_text("{")
    index(corpus)
    assert corpus.state == Corpus.State.READY
    assert found(corpus, "one two") == ["a", "b"]


def test_an_index_is_made_anew_on_demand(tmp_path: Path) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "One.", "b": "Two."})
    index(corpus)
    Document.objects.filter(corpus=corpus, external_id="b").delete()
    forget_index(corpus)
    index(corpus)
    assert found(corpus, "one two") == ["a"]


def test_a_document_that_changes_while_it_is_indexed_waits_for_the_next_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "Old words."})
    commit = CorpusWriter.commit

    def change_in_between(writer: CorpusWriter) -> None:
        commit(writer)
        monkeypatch.setattr(CorpusWriter, "commit", commit)
        load(corpus, tmp_path, {"a": "New words."})

    monkeypatch.setattr(CorpusWriter, "commit", change_in_between)
    index(corpus)
    assert corpus.state == Corpus.State.READY
    assert found(corpus, "new") == ["a"]
    assert found(corpus, "old") == []


def test_a_busy_index_is_left_for_later(tmp_path: Path) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "One."})
    with CorpusWriter(index_path(corpus.slug)):
        mark_for_indexing(corpus)
        # An index that another process is writing must not be swept away as an empty one.
        assert not index_corpus(corpus.pk)
        corpus.refresh_from_db()
        assert (corpus.state, corpus.claim) == (Corpus.State.QUEUED, "")
    index(corpus)
    assert corpus.state == Corpus.State.READY


def test_a_failure_stands_in_the_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "One."})
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(CorpusWriter, "add", lambda *args: (_ for _ in ()).throw(full))
    index(corpus)
    assert corpus.state == Corpus.State.FAILED
    assert "no space left" in corpus.error
    monkeypatch.undo()
    index(corpus)
    assert (corpus.state, corpus.error) == (Corpus.State.READY, "")


def test_a_corpus_without_documents_is_empty() -> None:
    corpus = make_corpus()
    index(corpus)
    assert corpus.state == Corpus.State.EMPTY


def test_indexing_twice_at_once_is_refused_to_the_second(tmp_path: Path) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "One."})
    Corpus.objects.filter(pk=corpus.pk).update(
        state=Corpus.State.INDEXING, claim="x", lease_until=timezone.now() + timedelta(minutes=1)
    )
    assert not index_corpus(corpus.pk)


def test_the_index_of_a_corpus_lies_under_its_slug(settings) -> None:  # type: ignore[no-untyped-def]
    assert index_path("rivers") == Path(settings.CORPUS_DIR) / "rivers"
