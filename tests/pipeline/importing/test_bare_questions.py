"""Questions without answers: lists, MIRACL's lines, TREC's topics, BEIR's folders and archives."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pipeline.importing import question_sets
from pipeline.importing.hagrid import line_of
from pipeline.importing.passages import detect_format, read_passages
from pipeline.importing.rows import PassageRow, RowError

MIRACL = {
    "query_id": "7", "query": "Where does the Ribble end?",
    "positive_passages": [
        {"docid": "25680#1", "title": "River Ribble", "text": "The Ribble runs to the Irish Sea."},
        {"docid": "25680#4", "title": "River Ribble", "text": "It ends near Lytham."},
    ],
    "negative_passages": [{"docid": "9#0", "title": "Trent", "text": "The Trent runs north."}],
}  # fmt: skip
CORPUS = [
    {"_id": "d1", "title": "River Ribble", "text": "It runs to the Irish Sea.", "metadata": {}},
    {"_id": "d2", "title": "The Trent runs north", "text": "", "metadata": {}},
    {"_id": "d3", "title": "Nobody asks for it", "text": "Other."},
]
QUERIES = [
    {"_id": "q1", "text": "Where does the Ribble end?", "metadata": {}},
    {"_id": "q2", "text": "Where does the Trent run?", "metadata": {}},
    {"_id": "q3", "text": "Nobody judged this?", "metadata": {}},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\td2\t1\nq1\td1\t2\nq2\td3\t0\n"


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def read(path: Path, content: object) -> list[Any]:
    """What a file gives whose format is told from its content."""
    path.write_text(content if isinstance(content, str) else lines(content))
    assert detect_format(path) == "questions"
    return list(read_passages(path))


def beir(folder: Path, **other: str) -> Path:
    """A folder as BEIR packs it; `other` are other contents by stem."""
    files = {
        "queries.jsonl": lines(*QUERIES), "corpus.jsonl": lines(*CORPUS), "qrels/test.tsv": QRELS,
    }  # fmt: skip
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(other.get(path.stem, content))
    return folder


def packed(folder: Path, method: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", method) as archive:
        for each in sorted(folder.rglob("*.*")):
            archive.write(each, f"scifact/{each.relative_to(folder)}")
    return path


def test_a_line_of_miracl_becomes_a_question_with_quotes(tmp_path: Path) -> None:
    (row,) = read(tmp_path / "dev.jsonl", MIRACL)
    assert (row.external_id, row.text, row.context) == ("7", "", "Where does the Ribble end?")
    assert row.source == {
        "query": "Where does the Ribble end?",
        "query_id": "7",
        "quotes": [
            {"idx": place, **each} for place, each in enumerate(MIRACL["positive_passages"], 1)
        ],
        "negative_passages": MIRACL["negative_passages"],
    }


def test_a_question_leaves_as_a_hagrid_line_without_answers_and_comes_back(tmp_path: Path) -> None:
    (row,) = read(tmp_path / "dev.jsonl", MIRACL)
    line = line_of([row])
    assert (line["query"], line["query_id"], line["answers"]) == (row.context, "7", [])
    (again,) = read(tmp_path / "again.jsonl", line)
    assert again.content_hash == row.content_hash


def test_a_dialog_leaves_as_a_hagrid_line_with_all_its_turns(tmp_path: Path) -> None:
    (row,) = read(
        tmp_path / "in.jsonl", {"id": 1, "question": "", "turns": ["Who?", "Ada.", "When?"]}
    )
    assert line_of([row])["query"] == row.context == "User: Who?\nSystem: Ada.\nUser: When?"


@pytest.mark.parametrize(
    ("content", "questions"),
    [
        ({"id": 1, "question": "Where?", "answers": ["There."]}, [("1", "Where?")]),
        ({"_id": "a", "text": "Where?"}, [("a", "Where?")]),
        ({"_id": "a", "text": "A claim.", "metadata": {}}, [("a", "A claim.")]),
        ({"id": 1, "turns": ["Who?", "Ada.", "When?"]} | {"question": ""},
         [("1", "User: Who?\nSystem: Ada.\nUser: When?")]),
        ({"id": 1, "question": "When?", "context": "Q: Who?\nA: Ada."},
         [("1", "Q: Who?\nA: Ada.\nUser: When?")]),
        ("0\tIs Creole a pidgin?\n3\tWhen did it end?\n",
         [("0", "Is Creole a pidgin?"), ("3", "When did it end?")]),
        ("id,question\n1,Where?\n", [("1", "Where?")]),
        ("ID,Question,Note\n1,Where?,n\n", [("1", "Where?")]),
        ('[{"sample_id": "a", "question": "Where?", "answer": "There.", "docs": []}]',
         [("a", "Where?")]),
    ],
)  # fmt: skip
def test_other_shapes_of_questions_are_told_by_their_content(
    tmp_path: Path, content: object, questions: list[tuple[str, str]]
) -> None:
    rows = read(tmp_path / "in.data", content)
    assert [(row.external_id, row.context) for row in rows] == questions
    assert {row.text for row in rows} == {""}


def test_a_context_that_is_no_dialog_is_kept_beside_the_question(tmp_path: Path) -> None:
    (row,) = read(tmp_path / "in", {"question": "Where?", "context": "The Ribble runs west."})
    assert (row.context, row.source["context"]) == ("Where?", "The Ribble runs west.")


def test_gold_answers_and_documents_stay_as_they_came(tmp_path: Path) -> None:
    given = {"question": "Where?", "answers": [["There", "Here"]], "docs": [{"text": "It is."}]}
    (row,) = read(tmp_path / "in", given)
    assert (row.source["answers"], row.source["docs"]) == (given["answers"], given["docs"])
    (row,) = read(tmp_path / "in", {"question": "Where?", "quotes": ["It is there."]})
    assert row.source["quotes"] == [{"idx": 1, "docid": "1", "text": "It is there."}]


@pytest.mark.parametrize("shape", ["text", "answer", "response"])
def test_a_line_that_says_something_is_no_bare_question(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "in"
    path.write_text(lines({"id": 1, "question": "Where?", shape: "There."}))
    assert detect_format(path, text=None) == "jsonl"


@pytest.mark.parametrize(
    ("content", "format_"),
    [(lines({"_id": "a", "text": "It ends there."}), "jsonl"), ("p1\tIt ends there.\n", "csv")],
)
def test_what_may_be_passages_is_read_as_questions_only_if_somebody_says_so(
    tmp_path: Path, content: str, format_: str
) -> None:
    path = tmp_path / "in.tsv"
    path.write_text(content)
    assert detect_format(path) == format_
    (row,) = read_passages(path, format="questions")
    assert isinstance(row, PassageRow)
    assert (row.text, row.context) == ("", "It ends there.")


@pytest.mark.parametrize("pack", [False, True])
def test_judged_documents_of_beir_become_quotes_the_most_relevant_first(
    tmp_path: Path, pack: bool
) -> None:
    path = beir(tmp_path / "set")
    path = packed(path) if pack else path
    assert detect_format(path) == "questions"
    first, second = read_passages(path)
    assert isinstance(first, PassageRow)
    assert first.source == {
        "query": "Where does the Ribble end?", "query_id": "q1", "split": "test",
        "quotes": [
            {"idx": 1, "docid": "d1", "text": "It runs to the Irish Sea.", "title": "River Ribble",
             "relevance": 2},
            {"idx": 2, "docid": "d2", "text": "The Trent runs north",
             "title": "The Trent runs north"},
        ],
    }  # fmt: skip
    assert isinstance(second, PassageRow)
    assert (second.external_id, second.source.get("quotes")) == ("q2", None)


def test_questions_without_judgments_are_all_read(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text(lines(*QUERIES))
    assert [row.external_id for row in read_passages(tmp_path)] == ["q1", "q2", "q3"]  # type: ignore[union-attr]


def test_topics_and_qrels_of_trec_are_read_as_miracl_names_them(tmp_path: Path) -> None:
    (tmp_path / "topics.miracl-v1.0-en-dev.tsv").write_text("0\tIs Creole a pidgin?\n")
    (tmp_path / "qrels.miracl-v1.0-en-dev.tsv").write_text("0\tQ0\t5#2\t1\n0\tQ0\t5#3\t0\n")
    (tmp_path / "docs-0.jsonl").write_text(lines({"docid": "5#2", "title": "", "text": "It is."}))
    (row,) = read_passages(tmp_path)
    assert isinstance(row, PassageRow)
    assert row.source["quotes"] == [{"idx": 1, "docid": "5#2", "text": "It is."}]
    assert row.source["split"] == "dev"


@pytest.mark.parametrize(
    ("stem", "content", "says"),
    [
        ("test", "q1\td1\n", "qrels/test.tsv, line 1: the line has 2 cells"),
        ("test", "q1\td1\tyes\nq1\td1\tyes\n", "line 2, field score: the relevance is no number"),
        ("test", "q9\td1\t1\n", "qrels/test.tsv, line 1, field query-id: 1 judged questions are"),
        ("test", "q1\td9\t1\n", "field corpus-id: 1 documents that are judged relevant are in"),
        ("queries", lines({"_id": "q1"}), "queries.jsonl, line 1, field question: there is no"),
        ("corpus", lines({"_id": "d1"}), "corpus.jsonl, line 1, field text: there is no text"),
    ],
)  # fmt: skip
def test_what_is_wrong_of_a_set_is_told_with_its_file(
    tmp_path: Path, stem: str, content: str, says: str
) -> None:
    wrong = [item for item in read_passages(beir(tmp_path, **{stem: content}))
             if isinstance(item, RowError)]  # fmt: skip
    assert says in "\n".join(map(str, wrong))


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"query_id": 1, "query": " "}, "field query: query is empty; write the question"),
        ({**MIRACL, "positive_passages": "x"}, "positive_passages is a text, not a list (found x)"),
        ({**MIRACL, "positive_passages": [{"docid": "a"}]}, "field positive_passages[0].text"),
        ({"question": "Where?", "quotes": [{"idx": 1, "text": "a"}, {"idx": 1, "text": "b"}]},
         "two quotes have the same idx"),
        ({"question": "Where?", "answers": [{"answer": "There."}]}, "choose the format hagrid"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named(tmp_path: Path, row: object, says: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(lines({"question": "Where?"}, row))
    _, wrong = read_passages(path, format="questions")
    assert isinstance(wrong, RowError)
    assert "in.jsonl, line 2" in str(wrong)
    assert says in str(wrong)


def test_a_file_of_an_archive_that_is_not_unpacked_is_named(tmp_path: Path) -> None:
    found = list(read_passages(packed(beir(tmp_path / "set"), zipfile.ZIP_LZMA)))
    assert [str(each).partition(":")[0] for each in found] == [
        "scifact/qrels/test.tsv",
        "scifact/queries.jsonl",
    ]
    assert "packed in a way that is not read here" in str(found[0])


def test_a_damaged_archive_is_an_error_and_no_exception(tmp_path: Path) -> None:
    path = packed(beir(tmp_path / "set"))
    content = bytearray(path.read_bytes())
    for place in range(40, len(content) - 200, 7):
        damaged = content.copy()
        damaged[place] ^= 0xFF
        path.write_bytes(damaged)
        assert all(str(item) for item in read_passages(path, format="questions"))


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("MAX_TEXT_CHARACTERS", "the relevant documents have more than 20 characters"),
        ("MAX_QUOTES_CHARACTERS", "its relevant documents have"),
        ("MAX_ARCHIVE_BYTES", "the quotes hold more than"),
    ],
)
def test_few_documents_cannot_fill_memory_or_disk_through_many_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, words: str
) -> None:
    monkeypatch.setattr(question_sets, limit, 20)
    found = list(read_passages(beir(tmp_path)))
    assert any(isinstance(each, RowError) and words in str(each) for each in found)
    assert not any(isinstance(each, PassageRow) and "quotes" in each.source for each in found)
