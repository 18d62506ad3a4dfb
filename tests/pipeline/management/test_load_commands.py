"""`load_passages` and `load_corpus`: exit status, sentences, twice is once."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from pipeline.backends.tantivy_corpus import TantivyCorpus
from pipeline.data import corpora
from pipeline.management.commands import load_corpus
from pipeline.models import Corpus, Dataset, Passage
from tests.support.commands import run_command as run
from tests.support.commands import write_lines

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("state_folder")]
BOTH = pytest.mark.parametrize(
    ("command", "name", "model"),
    [("load_passages", "--dataset", Dataset), ("load_corpus", "--name", Corpus)],
)
"""What both commands do."""


def write(path: Path, *rows: object) -> Path:
    return write_lines(path, list(rows))


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
    assert "FIELD is one of text, context, sources, id, label, model, ignored." in err


def test_a_guess_is_printed_to_copy_and_unused_texts_are_named(tmp_path: Path) -> None:
    row = {"my reply": "It runs west, they say.", "question": "Where does it run, please?", "n": 1}
    path = write(tmp_path / "in.jsonl", row)
    load = ("load_passages", path, "--dataset", "x")
    status, out, err = run(*load)
    assert (status, "1 question without answers; not used: my reply." in out) == (1, True)
    assert "add --map 'text=my reply' if it holds the answers" in err
    assert run(*load, "--format", "questions", "--dry-run")[0] == 0
    mapped = ["--map", "text=my reply", "--map", "ignored=n"]
    status, out, _ = run(*load, *mapped)
    assert (status, "Format jsonl text=my reply context=question." in out) == (0, True)
    passage = Dataset.objects.get().passages.get()
    assert (passage.text, passage.context) == ("It runs west, they say.", row["question"])
    assert passage.source.extra == {}
    path.write_text("reply|asked\nIt runs west, they say.|Where?\n")
    status, _, err = run(*load, "--delimiter", "|")
    assert (status, "this is a guess: --map text=reply." in err) == (1, True)
    path.write_text('{"text": "It runs.", "note": "The rater found this one easy."}\n')
    status, out, _ = run(*load)
    assert (status, "Long texts that nothing uses, kept as metadata: note." in out) == (0, True)


def test_the_passage_of_a_rarr_line_is_no_unused_text(tmp_path: Path) -> None:
    text, note = "The Ribble flows into the sea.", "The rater found this one easy."
    info = {"model_outputs_explanation": text, "context": "Where does it run, please?"}
    result = {"text": text, "revisions": [{"revised_text": "It runs west."}]}
    path = write(tmp_path / "in.jsonl", {"input_info": info, "note": note, "result": result})
    status, out, _ = run("load_passages", path, "--dataset", "x")
    assert (status, "Long texts that nothing uses, kept as metadata: note." in out) == (0, True)


def test_the_command_names_guesses_and_unused_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "a", {"question": "Q?", "llm_reply": "It ends at Lytham, they say."})
    _, out, _ = run("load_passages", path, "--dataset", "x", "--dry-run")
    assert "1 question without answers; not used: llm_reply." in out
    path.write_bytes("id,text\n1,Das Café.\n".encode("latin-1"))
    _, out, _ = run("load_passages", path, "--dataset", "x")
    path.write_text("1,It is new.\n2,It is old.\n")
    status, _, err = run("load_passages", path, "--dataset", "y")
    assert (status, "the first line seems to be data" in err) == (1, True)
    mapped = ["--no-header", "--map", "text=column 2", "--map", "id=column 1"]
    assert run("load_passages", path, "--dataset", "y", *mapped)[0] == 0


def test_bare_lines_become_turns_with_dialog(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "in.jsonl", [{"id": 1, "text": "In 1904.", "context": "Hi.\nWhen?"}]
    )
    assert run("load_passages", path, "--dataset", "x", "--dialog")[0] == 0
    assert Passage.objects.get().context == "System: Hi.\nUser: When?"


@BOTH
def test_other_content_under_a_known_id_is_an_error_or_an_update(
    tmp_path: Path, command: str, name: str, model: type[Dataset | Corpus]
) -> None:
    path = tmp_path / "in.csv"
    path.write_text("id,text\n1,It is new.\n2,It is old.\n")
    assert run(command, path, name, "x")[0] == 0
    path.write_bytes("id,text\n2,It is fällig.\n3,It is jung.\n".encode("latin-1"))
    status, out, err = run(command, path, name, "x")
    problem = "in.csv, line 2, field id: other content is stored under this id (found 2)"
    assert (status, problem in err) == (1, True)
    assert "choose to replace what is stored (--update)." in err
    assert "Encoding guessed: cp1252; choose another with --encoding." in out
    _, out, _ = run(command, path, name, "x", "--update")
    assert "1 new, 0 the same, 1 changed" in out


@BOTH
def test_shared_ids_and_late_keys_are_named(
    tmp_path: Path, command: str, name: str, model: type[Dataset | Corpus]
) -> None:
    rows = [{"id": n // 2, "text": f"Text {n}."} for n in range(60)]
    path = write(tmp_path / "in.jsonl", *rows, {"text": "A.", "verdict": "Good."})
    _, out, _ = run(command, path, name, "x", "--dry-run")
    assert not model.objects.exists()
    assert "Rows share values of id, so it is not the id: --map id=id makes them errors." in out
    assert "Only later rows have these keys, which nothing uses: verdict." in out


@BOTH
def test_a_dry_run_or_a_missing_file_writes_nothing(
    tmp_path: Path, command: str, name: str, model: type[Dataset | Corpus]
) -> None:
    status, _, err = run(command, tmp_path / "none", name, "x")
    assert (status, "There is no file" in err) == (2, True)
    path = write(tmp_path / "in.jsonl", {"id": 1, "text": "One."})
    status, out, _ = run(command, path, name, "x", "--dry-run")
    assert (status, "1 new" in out, "dry run" in out) == (0, True, True)
    assert not model.objects.exists()


@BOTH
def test_one_wrong_row_stops_the_whole_file(
    tmp_path: Path, settings: Any, command: str, name: str, model: type[Dataset | Corpus]
) -> None:
    path = write(tmp_path / "in.jsonl", {"id": 1, "text": "One."}, {"id": 2, "text": 2})
    errors = tmp_path / "errors.csv"
    status, _, err = run(command, path, name, "x", "--errors", errors)
    assert status == 1
    assert "in.jsonl, line 2, field text: text is a number (found 2)" in err
    assert "Nothing was written: 1 error" in err
    assert "in.jsonl,2,text" in errors.read_text(encoding="utf-8-sig")
    assert not model.objects.exists()
    assert list(settings.UPLOAD_DIR.iterdir()) == []


@BOTH
def test_valid_rows_are_loaded_and_the_others_listed(
    tmp_path: Path, command: str, name: str, model: type[Dataset | Corpus]
) -> None:
    rows = [{"id": number, "text": "One." if number % 2 else 2} for number in range(4)]
    path, errors = write(tmp_path / "in.jsonl", *rows), tmp_path / "errors.csv"
    status, _, err = run(command, path, name, "x")
    assert (status, "--skip-invalid imports the valid rows (2)." in err) == (1, True)
    status, out, err = run(command, path, name, "x", "--skip-invalid", "--errors", errors)
    assert (status, "2 new" in out, "Invalid rows skipped: 2." in err) == (1, True, True)
    assert "in.jsonl,1,text,2" in errors.read_text(encoding="utf-8-sig")
    assert model.objects.count() == 1
    wrong = write(tmp_path / "in.jsonl", {"text": 2})
    status, _, err = run(command, wrong, name, "y", "--skip-invalid")
    assert (status, "Nothing was written" in err, "--skip" in err) == (1, True, False)


def test_many_errors_are_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", {"text": "One."}, *({} for _ in range(30)))
    _, _, err = run("load_passages", path, "--dataset", "x")
    assert "… and 10 more." in err
    assert err.count("in.jsonl, line") == 20


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "a\nb"])
def test_a_name_that_cannot_be_stored_is_refused(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "in.jsonl", {"text": "One."})
    assert run("load_passages", path, "--dataset", name)[0] == 2
    assert run("load_corpus", path, "--name", name)[0] == 2


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


def test_an_index_that_cannot_be_made_is_status_2(tmp_path: Path, settings: Any) -> None:
    settings.CORPUS_DIR = tmp_path / "a-file"
    (tmp_path / "a-file").write_text("in the way")
    path = write(tmp_path / "c.jsonl", {"id": "a", "text": "One."})
    status, _, err = run("load_corpus", path, "--name", "x")
    assert (status, "The index could not be made" in err) == (2, True)
