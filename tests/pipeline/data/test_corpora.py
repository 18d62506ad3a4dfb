"""Documents into corpora, and corpora into indexes that can be resumed and remade."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.utils import timezone

from pipeline.backends.tantivy_corpus import CorpusWriter, TantivyCorpus
from pipeline.data import corpora
from pipeline.data.corpora import Indexing, index_path, rebuild_index
from pipeline.jobs.queue import mark_for_indexing
from pipeline.models import Corpus, Document
from tests.support.corpora import index, load, search_ids
from tests.support.factories import make_corpus

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("state_folder")]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Indexed, with two documents."""
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "One.", "b": "Two."})
    return index(corpus)


def test_only_what_changed_is_indexed_again(corpus: Corpus, tmp_path: Path) -> None:
    load(corpus, tmp_path, {"a": "New words.", "b": "Two."})
    assert list(corpus.documents.filter(is_indexed=False).values_list("external_id")) == [("a",)]
    index(corpus)
    assert (search_ids(corpus, "one"), search_ids(corpus, "new")) == ([], ["a"])
    assert corpus.indexed_count == 2


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
        Indexing(kill).run(corpus.pk)
    corpus.refresh_from_db()
    assert (corpus.state, corpus.indexed_count) == (Corpus.State.INDEXING, 2)
    assert not Indexing().run(corpus.pk), "the lease of the dead still holds"
    Corpus.objects.filter(pk=corpus.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    reported: list[int] = []
    assert Indexing(reported.append).run(corpus.pk)
    assert reported == [3, 4, 5], "one by one after a death"
    assert TantivyCorpus(index_path(corpus.slug)).document_count == 5


def empty(folder: Path) -> None:
    """As a crash leaves it between the new index and the mark on the rows."""
    shutil.rmtree(folder)
    with CorpusWriter(folder):
        pass


@pytest.mark.parametrize(
    "damage", [shutil.rmtree, empty, lambda folder: (folder / "meta.json").write_text("{")]
)
def test_an_index_that_is_gone_or_broken_is_made_again(
    corpus: Corpus, damage: Callable[[Path], object]
) -> None:
    damage(index_path(corpus.slug))
    index(corpus)
    assert corpus.state == Corpus.State.READY
    assert search_ids(corpus, "one two") == ["a", "b"]


def test_an_index_is_rebuilt_on_demand(corpus: Corpus) -> None:
    Document.objects.filter(corpus=corpus, external_id="b").delete()
    rebuild_index(corpus)
    index(corpus)
    assert search_ids(corpus, "one two") == ["a"]


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
    assert search_ids(corpus, "new") == ["a"]
    assert search_ids(corpus, "old") == []


def test_an_unavailable_index_is_left_for_later(tmp_path: Path) -> None:
    corpus = make_corpus()
    load(corpus, tmp_path, {"a": "One."})
    with CorpusWriter(index_path(corpus.slug)):
        mark_for_indexing(corpus)
        # An index that another process is writing must not be swept away as an empty one.
        assert not Indexing().run(corpus.pk)
        corpus.refresh_from_db()
        assert (corpus.state, corpus.claim) == (Corpus.State.QUEUED, "")
    index(corpus)
    assert corpus.state == Corpus.State.READY


def test_a_failure_is_in_the_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = make_corpus()
    index(corpus)
    assert corpus.state == Corpus.State.EMPTY
    load(corpus, tmp_path, {"a": "One."})
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(CorpusWriter, "add", Mock(side_effect=full))
    index(corpus)
    assert corpus.state == Corpus.State.FAILED
    assert "no space left" in corpus.error
    monkeypatch.undo()
    index(corpus)
    assert (corpus.state, corpus.error) == (Corpus.State.READY, "")
