"""Answers of the TREC RAG track read as passages: both years, marks, units, missing texts."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.importing.came_with import numbered_sources, sources_of, units_of
from pipeline.importing.passages import PassageRow, RowError, detect_format, read_passages
from pipeline.metrics.citation_marks import cited

PARTS = [
    {"text": "The Ribble ends in the Irish Sea.", "citations": [0, 2]},
    {"text": "  Nobody knows why", "citations": []},
    {"text": "“It is long.”", "citations": [1]},
]
TEXT = "The Ribble ends in the Irish Sea [1][3]. Nobody knows why “It is long [2].”"
REFERENCES = ["doc_1#2", "doc_7#0", "doc_9#1"]
OF_2024: dict[str, Any] = {
    "run_id": "my-run",
    "topic_id": "17",
    "topic": "where does the ribble end",
    "references": REFERENCES,
    "response_length": 13,
    "answer": PARTS,
}
OF_2025: dict[str, Any] = {
    "metadata": {
        "team_id": "us",
        "run_id": "my-run",
        "type": "automatic",
        "narrative_id": 17,
        "narrative": "where does the ribble end",
    },
    "references": REFERENCES,
    "answer": PARTS,
}
BY_IDS = OF_2025 | {
    "answer": [
        {**part, "citations": [REFERENCES[place] for place in part["citations"]]}  # type: ignore[attr-defined]
        for part in PARTS
    ]
}


def read(folder: Path, *lines: dict[str, Any]) -> list[PassageRow | RowError]:
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert detect_format(file) == "trec_rag"
    return list(read_passages(file))


@pytest.mark.parametrize("line", [OF_2024, OF_2025, BY_IDS], ids=["2024", "2025", "2025 by ids"])
def test_an_answer_is_one_text_with_its_citations_as_marks(
    tmp_path: Path, line: dict[str, Any]
) -> None:
    (row,) = read(tmp_path, line)
    assert isinstance(row, PassageRow)
    assert (row.external_id, row.text) == ("my-run-17", TEXT)
    assert row.context == "where does the ribble end"
    assert row.source == line


def test_its_parts_are_its_units(tmp_path: Path) -> None:
    (row,) = read(tmp_path, OF_2024)
    assert isinstance(row, PassageRow)
    units = [unit.of(row.text) for unit in units_of(row.source, row.text)]
    assert units == [
        "The Ribble ends in the Irish Sea [1][3].",
        "Nobody knows why",
        "“It is long [2].”",
    ]
    assert [cited(unit) for unit in units] == [(1, 3), (), (2,)]


@pytest.mark.parametrize(
    "texts",
    [
        {"documents": {"doc_7#0": {"title": "Ribble", "segment": "75 miles.", "url": "u"}}},
        {"documents": [{"id": "doc_7#0", "title": "Ribble", "text": "75 miles.", "url": "u"}]},
        {
            "references": [
                "doc_1#2",
                {"docid": "doc_7#0", "title": "Ribble", "segment": "75 miles.", "url": "u"},
                "doc_9#1",
            ]
        },
    ],
)
def test_texts_of_the_references_come_in_an_object_or_in_their_place(
    tmp_path: Path, texts: dict[str, Any]
) -> None:
    (row,) = read(tmp_path, OF_2024 | texts)
    assert isinstance(row, PassageRow)
    assert row.text == TEXT
    (source,) = sources_of(row.source)
    assert (source.number, source.title, source.url, source.text) == (2, "Ribble", "u", "75 miles.")
    # Those without a text keep their places, so that no number leads to another source.
    assert [(each.number, each.title) for each in numbered_sources(row.source)] == [
        (1, "doc_1#2"),
        (2, "Ribble"),
        (3, "doc_9#1"),
    ]


def test_without_any_text_there_is_nothing_to_judge_against(tmp_path: Path) -> None:
    (row,) = read(tmp_path, OF_2024)
    assert isinstance(row, PassageRow)
    assert numbered_sources(row.source) == []


def test_a_place_beyond_the_references_stays_a_mark(tmp_path: Path) -> None:
    (row,) = read(tmp_path, OF_2024 | {"answer": [{"text": "So.", "citations": [20]}]})
    assert isinstance(row, PassageRow)
    assert row.text == "So [21]."


@pytest.mark.parametrize(
    ("wrong", "field", "words"),
    [
        ({"answer": []}, "answer", "the list of answer is empty"),
        ({"answer": [{"citations": [0]}]}, "answer[0].text", "there is no text"),
        ({"answer": [{"text": 5}]}, "answer[0].text", "text is a number"),
        ({"answer": [{"text": "So.", "citations": 0}]}, "answer[0].citations", "is a number"),
        ({"answer": [{"text": "So.", "citations": [-1]}]}, "answer[0].citations[0]", "below 0"),
        (
            {"answer": [{"text": "So.", "citations": [10**4300 - 1]}]},
            "answer[0].citations[0]",
            "larger than any list",
        ),
        (
            {"answer": [{"text": "So.", "citations": [True]}]},
            "answer[0].citations[0]",
            "it is true",
        ),
        ({"answer": [{"text": "So.", "citations": ["x"]}]}, "answer[0].citations[0]", "no id of"),
        ({"answer": [{"text": " ", "citations": []}]}, "answer", "answer is empty"),
        ({"references": [None]}, "references[0]", "it is null"),
        ({"topic": 3}, "topic", "topic is a number"),
        ({"documents": 3}, "documents", "is a number"),
        ({"topic_id": [1]}, "topic_id", "is a list"),
    ],
)
def test_what_is_wrong_is_told_with_its_field(
    tmp_path: Path, wrong: dict[str, Any], field: str, words: str
) -> None:
    first, error = read(tmp_path, OF_2024, OF_2024 | {"topic_id": "18"} | wrong)
    assert isinstance(first, PassageRow)
    assert isinstance(error, RowError), error
    assert error.line == 2
    assert error.field.startswith(field)
    assert words in str(error)
    assert error.fix
