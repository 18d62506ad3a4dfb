"""`load_passages` and `load_corpus`: exit status, sentences, twice is once."""

import json
import subprocess
import sys
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from pipeline.backends.tantivy_corpus import TantivyCorpus
from pipeline.data import corpora
from pipeline.management.commands import load_corpus
from pipeline.models import Corpus, Dataset

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, settings) -> None:  # type: ignore[no-untyped-def]
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.CORPUS_DIR = tmp_path / "corpora"


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(*arguments: object) -> tuple[int, str, str]:
    """Exit status, output and errors of a command."""
    out, err = StringIO(), StringIO()
    try:
        call_command(*map(str, arguments), stdout=out, stderr=err)
    except CommandError as error:
        return error.returncode, out.getvalue(), f"{err.getvalue()}{error}"
    return 0, out.getvalue(), err.getvalue()


def test_passages_are_loaded_once(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", {"id": "a", "text": "One."}, {"text": "Two."})
    status, out, _ = run("load_passages", path, "--dataset", "My rivers")
    assert (status, "2 new, 0 the same" in out) == (0, True)
    status, out, _ = run("load_passages", path, "--dataset", "my-rivers")
    assert (status, "0 new, 2 the same" in out) == (0, True)
    assert Dataset.objects.get().passage_count == 2


def test_columns_of_other_names_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", {"answer": "One.", "question": "Q?", "id": 1})
    mapped = ["--map", "text=answer", "--map", "context=question"]
    status, _, err = run("load_passages", path, "--dataset", "x", *mapped)
    assert (status, err) == (0, "")
    passage = Dataset.objects.get().passages.get()
    assert (passage.text, passage.context, passage.external_id) == ("One.", "Q?", "1")
    status, _, err = run("load_passages", path, "--dataset", "x", "--map", "body=answer")
    assert status == 2
    assert "FIELD is one of text, context, id" in err


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", {"text": "One."})
    status, out, _ = run("load_passages", path, "--dataset", "x", "--dry-run")
    assert status == 0
    assert "1 new" in out
    assert "dry run" in out
    assert not Dataset.objects.exists()


def test_one_wrong_row_stops_the_whole_file(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", {"text": "One."}, {"text": 2})
    errors = tmp_path / "errors.csv"
    status, _, err = run("load_passages", path, "--dataset", "x", "--errors", errors)
    assert status == 1
    assert "in.jsonl, line 2, field text: text is a number (found 2)" in err
    assert "Nothing was written: 1 error" in err
    assert "in.jsonl,2,text" in errors.read_text(encoding="utf-8-sig")
    assert not Dataset.objects.exists()


def test_many_errors_are_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", {"text": "One."}, *({} for _ in range(30)))
    _, _, err = run("load_passages", path, "--dataset", "x")
    assert "… and 10 more." in err
    assert err.count("in.jsonl, line") == 20


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "a\nb"])
def test_a_name_that_cannot_be_kept_is_refused(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "in.jsonl", {"text": "One."})
    assert run("load_passages", path, "--dataset", name)[0] == 2
    assert run("load_corpus", path, "--name", name)[0] == 2


def test_a_file_that_is_not_there_is_status_2(tmp_path: Path) -> None:
    status, _, err = run("load_passages", tmp_path / "none", "--dataset", "x")
    assert (status, "There is no file" in err) == (2, True)
    status, _, err = run("load_corpus", tmp_path / "none", "--name", "x")
    assert (status, "There is no file" in err) == (2, True)


def test_the_staged_rows_are_gone_afterwards(tmp_path: Path) -> None:
    run("load_passages", write(tmp_path / "in.jsonl", {"text": "One."}), "--dataset", "x")
    assert list((tmp_path / "uploads").iterdir()) == []


def test_a_folder_becomes_a_corpus_that_can_be_searched(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "ribble.md").write_text("# River Ribble\nIt runs west.")
    (folder / "tees.txt").write_text("The Tees runs east.")
    status, out, _ = run("load_corpus", folder, "--name", "Rivers")
    assert (status, "2 documents in its search index" in out) == (0, True)
    search = TantivyCorpus(corpora.index_path("rivers"))
    assert [document.id for document in search.search(["ribble"], limit=1)[0]] == ["ribble.md"]
    status, out, _ = run("load_corpus", folder, "--name", "rivers")
    assert (status, "0 new, 2 the same" in out) == (0, True)
    assert Corpus.objects.get().document_count == 2


def test_a_corpus_with_a_wrong_document_is_not_written(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", {"id": "a", "text": "One."}, {"id": "b"})
    status, _, err = run("load_corpus", path, "--name", "x")
    assert (status, "there is no text" in err) == (1, True)
    assert not Corpus.objects.exists()


def test_a_corpus_in_a_dry_run_is_not_written(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", {"id": "a", "text": "One."})
    assert run("load_corpus", path, "--name", "x", "--dry-run")[0] == 0
    assert not Corpus.objects.exists()


def test_it_waits_for_the_lease_of_a_worker_that_died(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "c.jsonl", {"id": "a", "text": "One."})
    corpus = corpora.create_corpus(name="x")
    in_work = {"state": Corpus.State.INDEXING, "claim": "dead"}
    Corpus.objects.update(lease_until=timezone.now() + timedelta(hours=1), **in_work)

    def wait(seconds: float) -> None:
        Corpus.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    monkeypatch.setattr(load_corpus.time, "sleep", wait)
    assert run("load_corpus", path, "--name", "x")[0] == 0
    corpus.refresh_from_db()
    assert (corpus.state, corpus.indexed_count) == (Corpus.State.READY, 1)


def test_an_index_that_cannot_be_made_is_status_2(
    tmp_path: Path,
    settings,  # type: ignore[no-untyped-def]
) -> None:
    settings.CORPUS_DIR = tmp_path / "a-file"
    (tmp_path / "a-file").write_text("in the way")
    path = write(tmp_path / "c.jsonl", {"id": "a", "text": "One."})
    status, _, err = run("load_corpus", path, "--name", "x")
    assert (status, "The index could not be made" in err) == (2, True)


@pytest.mark.parametrize("command", ["load_passages", "load_corpus"])
def test_help_explains_itself(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", command, "--help"], capture_output=True, text=True, check=True
    )
    assert "Exit status: 0" in " ".join(done.stdout.split())
