"""Files that other tools write: how each is read."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.importing.corpus_files import read_corpus
from pipeline.importing.passages import FileShape, PassageRow, inspect_file, read_passages
from pipeline.importing.rows import DocumentRow, Fault, FileNotes, RowError
from tests.support.factories import only

CASES = Path(__file__).parents[2] / "data" / "import_cases"
RIBBLE = ("r1", "The Ribble reaches the sea at Lytham.", "Where does the Ribble end?")
TEES = ("r2", "The Tees rises on Cross Fell, in a café's garden.", "Where does the Tees rise?")
WITHOUT_CONTEXT = [(*each[:2], "") for each in (RIBBLE, TEES)]
RUNS_WEST = "The Ribble runs west to the Irish Sea."


def rows(name: str, **options: Any) -> list[PassageRow]:
    """The rows of a file without errors."""
    items = list(read_passages(CASES / name, **options))
    assert not [str(each) for each in items if isinstance(each, RowError)]
    return [each for each in items if isinstance(each, PassageRow)]


def passages(name: str, **options: Any) -> list[tuple[str, str, str]]:
    return [(row.external_id, row.text, row.context) for row in rows(name, **options)]


def errors(name: str, **options: Any) -> list[str]:
    return [
        str(each) for each in read_passages(CASES / name, **options) if isinstance(each, RowError)
    ]


def shape(name: str) -> FileShape:
    return inspect_file(CASES / name)


def test_utf_16_is_read_in_datasets_and_corpora() -> None:
    assert passages("01-utf16le-bom.jsonl") == [RIBBLE, TEES]
    excel = "01-utf16-excel-unicode-text.csv"
    assert passages(excel) == [("r1", "The Ribble reaches the sea.", "")]
    assert (shape(excel).encoding, shape(excel).encoding_is_guessed) == ("utf-16", False)
    texts = [row.text for row in rows("01-utf16le-bom.txt")]
    assert texts == [RIBBLE[1], "The Tees rises on Cross Fell."]
    for name in ("01-utf16le-bom.jsonl", excel, "01-utf16le-bom.txt"):
        assert all(isinstance(each, DocumentRow) for each in read_corpus(CASES / name))


def test_one_broken_byte_is_one_bad_row() -> None:
    name = "02-one-broken-byte.jsonl"
    assert errors(name) == [
        f"{name}, line 2: the line is not UTF-8 text (found byte 0xE9 at offset 130); save the "
        "file as UTF-8, or choose its encoding."
    ]
    assert [row.text for row in rows(name, encoding="latin-1")][1] == "A café stands there."
    first, broken, last = read_corpus(CASES / "02-corpus-one-latin1-file.zip")
    assert isinstance(first, DocumentRow)
    assert isinstance(last, DocumentRow)
    assert "b.txt, line 1: the file is not UTF-8 text (found byte 0xE9 at offset 7)" in str(broken)


def test_judgments_in_alces_layout_are_answers_with_their_citations() -> None:
    first, second = rows("03-own-alce-export.json")
    assert (first.external_id, first.format, first.context) == ("c1", "alce", RIBBLE[2])
    assert [each.text for each in first.source.with_text] == [
        RUNS_WEST,
        "It is 75 miles long.",
        "The Tees rises on Cross Fell.",
    ]
    assert second.text.startswith("The Tees rises on Cross Fell. [1]")


def test_a_line_break_inside_a_text_is_one_error() -> None:
    name = "04-linebreaks-in-json.jsonl"
    assert errors(name) == [
        f"{name}, line 1: there is a line break inside a text; write it as \\n."
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("04-pretty-printed-objects.jsonl", [RIBBLE, TEES]),
        ("06-json-list.json", [RIBBLE, TEES]),
        ("06-json-list-one-line.json", [RIBBLE, TEES]),
        ("06-pandas-default.json", WITHOUT_CONTEXT),
    ],
)
def test_json_is_read_in_any_layout(name: str, expected: list[tuple[str, str, str]]) -> None:
    assert passages(name) == expected


def test_another_encoding_is_a_guess_that_can_be_changed() -> None:
    guess = shape("05-latin1.csv")
    assert (guess.encoding, guess.encoding_is_guessed) == ("cp1252", True)
    assert passages("05-latin1.csv")[0][1] == "Das Café am Fluß."
    assert passages("05-latin1.csv", encoding="cp1251")[0][1] == "Das Cafй am FluЯ."


def test_parquet_is_read() -> None:
    columns = {"text": "target_text", "id": ""}
    texts = [row.text for row in rows("06-own-export.parquet", columns=columns)]
    assert "It is 75 miles long & wide [2]." in texts


def test_a_bad_first_line_decides_nothing() -> None:
    name = "08-first-line-broken-hagrid.jsonl"
    (error,) = errors(name)
    assert "line 1, field quotes: the text holds half of a surrogate pair" in error
    assert shape(name).format == "hagrid"
    (first, second) = rows("08-first-line-nan-langchain.jsonl")
    assert (first.text, first.source.extra["score"]) == ("In the Irish Sea [1].", None)
    assert second.source.extra["score"] == 1.0
    assert [each.text for each in first.source.with_text] == [RUNS_WEST]


def test_a_whole_number_is_the_same_id_as_a_decimal() -> None:
    assert [row.external_id for row in rows("08-float-id.jsonl")] == ["1", "2"]


def test_tables_of_spreadsheets() -> None:
    assert passages("09-excel-sep-line.csv")[1] == ("r2", "The Tees rises.", "")
    assert passages("09-quote-at-start.tsv")[0] == ("1", '"Ribble" is a river.', "")
    (first, _) = rows("09-semicolon-decimal.csv")
    assert (first.text, first.source.extra) == (
        "The Ribble ends at Lytham, they say",
        {"score": "0,5"},
    )
    row = only(PassageRow, rows("20-upper-case-columns.csv"))
    assert (row.external_id, row.source.extra) == ("r1", {"INT & AIS": "1", "Flagged": "0"})


def test_data_are_never_names_of_columns() -> None:
    name = "20-no-header.csv"
    assert "the first line seems to be data" in errors(name)[0]
    assert not shape(name).has_header
    columns = {"text": "column 2", "id": "column 1"}
    expected = [
        ("r1", "The Ribble ends at Lytham.", ""),
        ("r2", "The Tees rises on Cross Fell.", ""),
    ]
    assert passages(name, has_header=False, columns=columns) == expected


@pytest.mark.parametrize(
    ("name", "sources"),
    [
        ("10-deepeval-save-as.json", [RUNS_WEST]),
        ("10-ragas-to-csv.csv", [RUNS_WEST, "It is 75 miles long."]),
        ("10-ragchecker.json", [RUNS_WEST]),
    ],
)
def test_answers_of_rag_tools_have_their_contexts(name: str, sources: list[str]) -> None:
    row = only(PassageRow, rows(name))
    assert (row.format, row.text, row.context) == (
        "contexts",
        "In the Irish Sea [1].",
        "Where does the Ribble end?",
    )
    assert [each.text for each in row.source.with_text] == sources


def test_long_texts_that_are_not_read_are_named() -> None:
    name = "14-answers-read-as-questions.jsonl"
    assert (shape(name).unread_texts, shape(name).is_sure) == (("llm_reply",), False)
    assert [row.text for row in rows(name)] == ["", ""]
    first, _ = passages(name, columns={"text": "llm_reply"})
    assert first[1:] == (
        "The Ribble ends at Lytham. It is 75 miles long.",
        "Tell me of the Ribble.",
    )


def test_a_claim_without_references_is_a_passage_without_sources() -> None:
    first, second = rows("14-empty-references.jsonl")
    assert (first.source.sources, len(second.source.sources)) == ([], 1)


def test_a_pointer_is_not_the_file() -> None:
    with pytest.raises(Fault, match="this is a Git LFS pointer, not the file"):
        shape("14-git-lfs-pointer.jsonl")


def test_an_empty_column_is_never_a_guess() -> None:
    columns = shape("14-guess-empty-context.jsonl").columns
    assert (columns["context"], columns["text"]) == ("question", "answer")


def test_rows_that_differ_in_anything_are_different_passages(tmp_path: Path) -> None:
    name = "14-same-claim-other-evidence.jsonl"
    first, second = rows(name)
    assert first.external_id != second.external_id
    file = tmp_path / name
    lines = (CASES / name).read_text().splitlines()
    file.write_text("\n".join([*reversed(lines), lines[0]]))
    again = [row.external_id for row in read_passages(file) if isinstance(row, PassageRow)]
    assert again == [second.external_id, first.external_id], "equal rows are one, in any order"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., tuple[list[PassageRow], FileShape]]:
    """Read a file of this content without errors; return its rows and shape."""

    def _read(content: str, **columns: str) -> tuple[list[PassageRow], FileShape]:
        path = tmp_path / "in.csv"
        path.write_text(content)
        items = list(read_passages(path, columns=columns))
        assert not [str(each) for each in items if isinstance(each, RowError)]
        passages = [each for each in items if isinstance(each, PassageRow)]
        return passages, inspect_file(path, columns=columns)

    return _read


Read = Callable[..., tuple[list[PassageRow], FileShape]]


def test_comments_above_a_table_are_no_header(read: Read, tmp_path: Path) -> None:
    (row,), _ = read("# Rivers, of 2026\n#checked\nid,text\nr1,One.\n")
    assert (row.external_id, row.text, row.line) == ("r1", "One.", 4)
    path = tmp_path / "notes.md"
    path.write_text("# Rivers\n\nThe Ribble runs west.\n")
    assert inspect_file(path).container == "text"


@pytest.mark.parametrize(
    "content",
    [
        "id,text\rr1,One.\rr2,Two.\r",
        "| id | text |\n|----|:-----|\n|r1|One.|\n|r2|Two.|\n",
        '{"id": "r1", "text": "One."},\n{"id": "r2", "text": "Two."},\n',
        '{"train": {"r1": {"text": "One."}}, "dev": {"r2": {"text": "Two."}}}',
        '{"r1": {"text": "One."}, "r2": {"text": "Two."}, "all": {}}',
        '{"-1": {"claim": "One.", "x": "y"}, "-2": {"claim": "Two.", "x": "y"}}',
        '{"-1": "One.", "-2": "Two."}',
        '{"text": "{\\"a\\": \\"One.\\"}"}\n{"text": "{\\"a\\": \\"Two.\\"}"}',
    ],
)
def test_further_layouts(read: Read, content: str) -> None:
    passages, _ = read(content, **({"text": "text.a"} if "{\\" in content else {}))
    assert [row.text.strip() for row in passages] == ["One.", "Two."]


def test_an_empty_cell_is_no_source(read: Read) -> None:
    passages, _ = read("question,context,answer\nQ?,,A.\nQ?,E.,A.\n")
    assert [len(row.source.sources) for row in passages] == [0, 1]


def test_plain_text_is_read_by_its_detected_format(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("One.\nTwo.\n")
    assert [row.text for row in rows(str(path), format=inspect_file(path).format)] == [
        "One.",
        "Two.",
    ]


def test_a_chosen_column_shows_that_there_is_a_header(read: Read) -> None:
    header = "Please read this. Is it right?"
    (row,), _ = read(f"{header},n\nIt is.,1\n", text=header)
    assert row.text == "It is."


def test_the_part_of_the_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_text(json.dumps({"train": [{"text": "One."}], "dev": [{"text": "Two."}]}))
    assert [row.source.extra for row in rows(str(path))] == [{"part": "train"}, {"part": "dev"}]
    archive = _zip(tmp_path, {"a.jsonl": '{"text": "One."}', "b.jsonl": '{"text": "Two."}'})
    parts = [row.source.extra for row in rows(str(archive))]
    assert parts == [{"part": "a.jsonl"}, {"part": "b.jsonl"}]


def _zip(folder: Path, files: dict[str, str]) -> Path:
    path = folder / "in.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "line",
    [
        {"text": "One."},
        {"id": "r1", "text": "One."},
        {"question": "Q?"},
        {"question": "Q?", "contexts": ["One."], "answer": "One."},
        {"query": "Q?", "answers": [{"answer": "One."}]},
        {"input_info": {"claim": "One."}},
    ],
)
def test_the_name_of_a_list_or_file_is_not_content(tmp_path: Path, line: dict[str, Any]) -> None:
    content, path = json.dumps(line), tmp_path / "in.jsonl"
    path.write_text(content)
    (alone,) = rows(str(path))
    notes = FileNotes()
    archive = _zip(tmp_path, {"a.jsonl": content, "b.jsonl": content})
    (packed,) = rows(str(archive), notes=notes)
    assert (packed.external_id, packed.content_hash) == (alone.external_id, alone.content_hash)
    assert (packed.source.extra["part"], notes.equal) == ("a.jsonl", 1), "equal rows are one"
    assert packed.source.to_json()
    path.write_text(json.dumps(line | {"part": "own"}))
    (other,) = rows(str(path))
    assert other.content_hash != alone.content_hash, "a column called part is content"


def test_a_field_read_from_the_name_of_a_file_is_content(tmp_path: Path) -> None:
    content = '{"text": "I do not know."}'
    archive = _zip(tmp_path, {"m1.jsonl": content, "m2.jsonl": content})
    first, second = rows(str(archive), columns={"model": "part"})
    assert [each.source.extra["model"] for each in (first, second)] == ["m1.jsonl", "m2.jsonl"]
    assert first.external_id != second.external_id


def test_several_columns_of_sources_are_one_list(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    row = {"text": "A.", "e1": "One.", "e2": "", "e3": ["Two.", {"text": "Three."}], "n": 1}
    path.write_text(json.dumps(row))
    (passage,) = rows(str(path), sources=["e1", "e2", "e3"])
    assert [each.text for each in passage.source.with_text] == ["One.", "Two.", "Three."]
    assert passage.source.extra == {"e1": ["One.", *row["e3"]], "n": 1}  # type: ignore[misc]


def test_a_corrected_mapping_changes_the_content_and_not_the_id(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("text,ground,mark\nA.,E.,1\n")
    (first,) = rows(str(path))
    (second,) = rows(str(path), columns={"sources": "ground", "label": "mark"})
    assert first.external_id == second.external_id
    assert first.content_hash != second.content_hash


def test_columns_of_other_rows_change_no_row(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    line = json.dumps({"text": "One."})
    path.write_text(line)
    (alone,) = rows(str(path))
    other = {"text": "Two.", "evidence": ["E."], "llm": "m", "ais": 1}
    path.write_text(f"{line}\n{json.dumps(other)}\n")
    first, second = rows(str(path))
    assert first.content_hash == alone.content_hash
    assert (second.source.attributable, second.source.extra["model"]) == (1, "m")


def test_a_guessed_label_refuses_no_row_but_a_chosen_one_does(read: Read) -> None:
    table = "text,ais\n" + "".join(f"Text {n}.,{n % 2}\n" for n in range(60))
    passages, shape = read(table)
    assert (shape.columns["label"], passages[1].source.attributable) == ("ais", 1)
    passages, shape = read(table + "The last.,unsure\n")
    assert (shape.columns["label"], passages[-1].source.extra) == ("", {"ais": "unsure"})
    with pytest.raises(AssertionError, match="the label is unknown"):
        read(table + "The last.,unsure\n", label="ais")


def test_an_id_of_several_rows_is_no_id(read: Read, tmp_path: Path) -> None:
    passages, shape = read("id,text\n1.0,One.\n2.0,Two.\n2.0,Two.\n")
    assert ([row.external_id for row in passages], shape.repeated_id) == (["1", "2"], "")
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": 1, "text": "One."}\n')
    assert [row.external_id for row in rows(str(path), format="csv")] == ["1"]
    passages, shape = read("id,text\n1,One.\n1,Two.\n")
    assert [row.source.extra for row in passages] == [{"id": "1"}] * 2
    assert (shape.repeated_id, shape.columns["id"]) == ("id", "")


def test_a_list_of_texts_or_of_cells_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_text(json.dumps([RIBBLE[1], TEES[1]]))
    assert [each[1] for each in passages(str(path))] == [RIBBLE[1], TEES[1]]
    path.write_text(json.dumps([RIBBLE, TEES], indent=1))
    assert "the first line seems to be data" in errors(str(path))[0]
    columns = {"text": "column 2", "context": "column 3", "id": "column 1"}
    assert passages(str(path), has_header=False, columns=columns) == [RIBBLE, TEES]
    path.write_text(json.dumps([["id", "text"], ["r1", RIBBLE[1], "x"], 3]))
    assert ["row 2: the row has 3 cells" in each for each in errors(str(path))] == [True, False]


def test_both_compared_answers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    models = {f"model{n}": {"model_name": f"m{n}", "response": f"{n}."} for n in (1, 2)}
    path.write_text(json.dumps([{"query": "Q?", **models, "overall_label": 1}]))
    passages = [row for row in read_passages(path) if isinstance(row, PassageRow)]
    assert [(row.text, row.context) for row in passages] == [("1.", "Q?"), ("2.", "Q?")]
    assert passages[1].source.extra == {
        "overall_label": 1,
        "compared_as": "model2",
        "model": "m2",
    }
