"""`manage.py revise`: a file in, a file out, no database."""

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from pipeline.backends.tantivy_corpus import write_index
from pipeline.engine.engine import Engine
from pipeline.files import corpus_indexes
from pipeline.rarr.errors import BadConfig, TransientError
from pipeline.rarr.types import Document
from tests.support.commands import read, revise, run_without_database, write_lines

PAGES = {
    "hall.txt": "Marlow Hall is a concert hall in Denby. It opened in 1904. It has 812 seats.",
    "river.md": "# River Ash\nThe River Ash is 96 kilometres long.\n## Course\nIt ends at Denby.",
}
LINES = [
    {"input_info": {"claim": "Marlow Hall opened in 1902.", "context": None}, "my_id": 7},
    {"id": "b", "text": "The River Ash is 96 kilometres long.", "context": "Q"},
]
Run = Callable[..., tuple[int, str]]
pytestmark = pytest.mark.usefixtures("state_folder")


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def passages(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "in.jsonl", LINES)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


@pytest.fixture
def run(passages: Path, pages: Path, out: Path) -> Run:
    """Revise the passages, or `source`, over the pages; later options replace earlier ones."""

    def _run(*more: object, source: Path = passages, **streams: Any) -> tuple[int, str]:
        return revise(source, "--corpus", pages, "--out", out, *more, **streams)

    return _run


def test_each_passage_is_revised_in_the_public_shape(run: Run, passages: Path, out: Path) -> None:
    before = passages.read_bytes()
    assert run("--out", passages)[0] == 2
    assert passages.read_bytes() == before
    status, message = run()
    assert (status, message) == (0, "Revised: 2. Failed: 0.\n")
    first, second = read(out)
    assert first["my_id"] == 7
    assert first["input_info"] == LINES[0]["input_info"]
    assert first["result"]["revisions"][0]["revised_text"] == "Marlow Hall opened in 1904."
    assert first["result"]["context"] is None
    assert "1904" in first["result"]["selected_evidences"][0]["text"]
    assert second["result"]["revisions"][0]["revised_text"] == LINES[1]["text"]
    assert second["result"]["context"] == "Q"
    assert second["result"]["usage"]["seconds"] > 0


def test_a_terminal_shows_a_progress_bar(run: Run) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    _, message = run(stderr=terminal)
    assert "indexing: 2doc" in message
    assert "revising: 100%" in message
    assert "2/2" in message


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--set", "reports=3"], "'reports' is no setting: choose one of"),
        (["--set", "report_size"], "write --set KEY=VALUE"),
        (["--set", "report_size=-1"], "report_size is -1: write 1 or more."),
        (["--set", "max_edit_ratio=nan"], "max_edit_ratio is nan: write 0 or more."),
        (["--set", "query_temperature=inf"], "query_temperature is inf: write 0 or more."),
        (["--out", "."], ". is a folder: name a file with --out."),
        (["--set", "entailment=oracle"], "choose one of compact, hf"),
        (["--system", "raar"], "'raar' is no system: choose one of efec"),
        (["--corpus", "nowhere"], "There is no file, folder or indexed corpus 'nowhere'"),
        (["--out", "no/such/folder/out.jsonl"], "There is no folder no/such/folder"),
    ],
)
def test_what_cannot_run_is_explained(run: Run, arguments: list[str], expected: str) -> None:
    status, message = run(*arguments)
    assert status == 2
    assert expected in message
    assert message.count("\n") == 1


def test_the_corpus_is_never_written_over(run: Run, pages: Path, tmp_path: Path) -> None:
    corpus = write_lines(tmp_path / "corpus.jsonl", [{"id": "1", "text": PAGES["hall.txt"]}])
    before = corpus.read_bytes()
    status, message = run("--corpus", corpus, "--out", corpus)
    assert (status, message) == (2, f"{corpus} is the corpus too: name another file with --out.\n")
    assert corpus.read_bytes() == before
    status, message = run("--out", pages / "hall.txt")
    assert status == 2
    assert "would be a page of the corpus" in message
    assert (pages / "hall.txt").read_text() == PAGES["hall.txt"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "in.jsonl: the file is empty; choose another.\n"),
        (b"\n \n", "in.jsonl: there is no row in it; write one JSON object a line.\n"),
        (b"PK\x03\x04", "in.jsonl: the ZIP archive is damaged"),
        (None, "There is no file"),
    ],
)
def test_a_file_without_rows_cannot_run_and_leaves_the_output_as_it_was(
    run: Run, passages: Path, out: Path, content: bytes | None, expected: str
) -> None:
    passages.unlink() if content is None else passages.write_bytes(content)
    out.write_text("kept\n")
    status, message = run()
    assert status == 2
    assert message.startswith(expected)
    assert out.read_text() == "kept\n"


def test_a_missing_model_leaves_the_output_unchanged(
    run: Run, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = BadConfig("The model 'x' cannot be loaded.")
    monkeypatch.setattr(Engine, "revise", Mock(side_effect=missing))
    out.write_text("kept\n")
    assert run() == (2, "The model 'x' cannot be loaded.\n")
    assert out.read_text() == "kept\n"


def test_lines_written_before_an_interruption_are_whole_and_resumed(
    run: Run, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Engine.revise

    def interrupted(self: Engine, passage: Any, **others: Any) -> Any:
        if passage.id == "b":
            raise KeyboardInterrupt
        return real(self, passage, **others)

    with monkeypatch.context() as patched:
        patched.setattr(Engine, "revise", interrupted)
        status, message = run()
    assert status == 2
    assert message.startswith("Stopped. The lines written so far are complete")
    assert len(read(out)) == 1
    assert run("--resume")[0] == 0
    assert [row.get("id") for row in read(out)] == [None, "b"]


def test_a_bad_line_is_named_and_the_others_are_revised(
    run: Run, out: Path, tmp_path: Path
) -> None:
    source = write_lines(tmp_path / "in.jsonl", [LINES[0], "{broken", {"no": "text"}, "", LINES[1]])
    status, message = run(source=source)
    assert (status, len(read(out))) == (1, 2)
    assert "in.jsonl, line 2" in message
    assert "in.jsonl, line 3, field text: there is no passage" in message
    assert message.endswith("Revised: 2. Failed: 2.\n")


def test_a_passage_that_fails_is_named_and_the_others_are_revised(
    run: Run, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Engine.revise

    def revised(self: Engine, passage: Any, **others: Any) -> Any:
        if "Marlow" in passage.text:
            raise TransientError("The server did not answer.")
        return real(self, passage, **others)

    monkeypatch.setattr(Engine, "revise", revised)
    status, message = run()
    assert status == 1
    assert [row["id"] for row in read(out)] == ["b"]
    assert "in.jsonl, line 1: The server did not answer." in message


def test_resuming_revises_only_what_is_missing(run: Run, out: Path) -> None:
    run()
    whole = out.read_text()
    first = whole.splitlines(keepends=True)[0]
    out.write_text(first + '{"id": "b", "te')  # as a crash in the middle of a line leaves it
    status, message = run("--resume")
    assert (status, message) == (0, "Revised: 1. Failed: 0.\n")
    assert out.read_text().startswith(first)
    before = [json.loads(line)["result"]["text"] for line in whole.splitlines()]
    assert [row["result"]["text"] for row in read(out)] == before


def test_resuming_counts_a_row_that_is_twice_in_the_input(
    run: Run, out: Path, tmp_path: Path
) -> None:
    source = write_lines(tmp_path / "in.jsonl", [LINES[0], LINES[0]])
    run(source=source)
    out.write_text(out.read_text().splitlines(keepends=True)[0])
    assert run("--resume", source=source)[1].startswith("Revised: 1.")
    assert len(read(out)) == 2


def test_the_same_files_are_indexed_once_and_changed_ones_again(
    run: Run, pages: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Mock(side_effect=write_index)
    monkeypatch.setattr(corpus_indexes, "write_index", writer)
    for _ in range(2):
        run()
    assert writer.call_count == 1
    (pages / "hall.txt").write_text(PAGES["hall.txt"].replace("1904", "1906"))
    run()
    assert writer.call_count == 2
    assert read(out)[0]["result"]["revisions"][0]["revised_text"] == "Marlow Hall opened in 1906."


def test_a_corpus_that_cannot_be_read_leaves_no_index(
    run: Run, tmp_path: Path, settings: Any
) -> None:
    corpus = write_lines(tmp_path / "corpus.jsonl", [{"id": "1", "text": "A b."}, {"id": "2"}])
    status, message = run("--corpus", corpus)
    assert status == 2
    assert "corpus.jsonl, line 2, field text" in message
    assert list((settings.VAR_DIR / "revise-indexes").iterdir()) == []


def test_only_the_latest_indexes_stay(run: Run, pages: Path, settings: Any) -> None:
    left = settings.VAR_DIR / "revise-indexes" / "making-left"
    left.mkdir(parents=True)
    os.utime(left, (0, 0))
    for year in range(1990, 1990 + corpus_indexes.MAX_INDEXES + 2):
        (pages / "hall.txt").write_text(f"Marlow Hall opened in {year}.")
        run()
    assert len(list(left.parent.iterdir())) == corpus_indexes.MAX_INDEXES
    assert not left.exists()


def test_a_corpus_is_found_by_its_name(run: Run, out: Path, settings: Any) -> None:
    write_index(
        settings.CORPUS_DIR / "halls",
        [Document(id="h", title="", url="", text="Marlow Hall opened in 1904.")],
    )
    assert run("--corpus", "halls")[0] == 0
    assert read(out)[0]["result"]["revisions"][0]["revised_text"] == "Marlow Hall opened in 1904."
    assert "halls" in run("--corpus", "hulls")[1]


def test_it_runs_where_no_database_can_be_reached(
    passages: Path, pages: Path, out: Path, tmp_path: Path
) -> None:
    done = run_without_database(tmp_path, "revise", passages, "--corpus", pages, "--out", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "passage/s" not in done.stderr  # no progress bar where nobody watches
    assert len(read(out)) == 2
