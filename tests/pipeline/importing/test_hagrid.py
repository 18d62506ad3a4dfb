"""HAGRID's lines read as passages, with the file's quirks and its faults."""

from pathlib import Path
from typing import Any

import pytest

from pipeline.importing.passages import PassageRow, RowError, read_passages
from tests.support.commands import write_lines


def line(**changes: Any) -> dict[str, Any]:
    labels = {"informative": 1, "attributable": 0}
    sentence = {"index": 0, "text": "It is blue [1].", **labels}
    answer = {"answer": sentence["text"], "answer_type": "short", "sentences": [sentence], **labels}
    quote = {"idx": 1, "docid": "12#3", "text": "The door is green."}
    question = {"query_id": "7", "query": "What colour is the door?"}
    return {**question, "quotes": [quote], "answers": [answer], **changes}


def read(folder: Path, *lines: Any) -> list[PassageRow | RowError]:
    return list(read_passages(write_lines(folder / "hagrid.jsonl", list(lines))))


def rows(folder: Path, *lines: Any) -> list[PassageRow]:
    items = read(folder, *lines)
    assert all(isinstance(item, PassageRow) for item in items), list(map(str, items))
    return [item for item in items if isinstance(item, PassageRow)]


@pytest.mark.parametrize("name", ["7", 7])
def test_an_answer_is_a_passage_and_all_else_is_carried_through_untouched(
    tmp_path: Path, name: object
) -> None:
    whole = line(query_id=name, extra={"kept": True})
    (answer,) = whole.pop("answers")
    row, second = rows(tmp_path, {**whole, "answers": [answer, {"answer": "Green."}]})
    assert (second.external_id, second.text) == ("7-2", "Green.")
    assert (row.external_id, row.text) == ("7-1", answer.pop("answer"))
    assert row.context == whole.pop("query")
    assert row.source.extra == {**whole, "answer": answer}


def test_a_line_without_query_id_gets_the_same_ids_each_time(tmp_path: Path) -> None:
    first = [row.external_id for row in rows(tmp_path, line(query_id=None))]
    assert first == [row.external_id for row in rows(tmp_path, line(query_id=None))]
    assert first[0].startswith("sha-")


@pytest.mark.parametrize("label", [None, 0, 1, 0.0, 1.0, True])
def test_a_label_is_one_nought_or_null(tmp_path: Path, label: object) -> None:
    sentence = {"index": 0, "text": "Blue.", "answer_type": "short", "attributable": label}
    answer = {"answer": "Blue.", "informative": label, "sentences": [sentence]}
    (row,) = rows(tmp_path, line(answers=[answer]))
    assert row.source.extra["answer"]["informative"] == label


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"query": None}, "query", "query is null"),
        ({"query": 5}, "query", "query is a number"),
        ({"query_id": [1]}, "query_id", "query_id is a list"),
        ({"query_id": True}, "query_id", "query_id is true or false"),
        ({"quotes": "none"}, "quotes", "quotes is a text"),
        ({"quotes": [{"idx": 1}]}, "quotes[0].text", "there is no text"),
        ({"quotes": ["a"]}, "quotes[0]", "it is a text, not an object"),
        ({"answers": None}, "answers", "answers is null"),
        ({"answers": [{"answer": " "}]}, "answers[0].answer", "is empty"),
        ({"answers": [{"answer": 3}]}, "answers[0].answer", "is a number"),
        ({"answers": [{}]}, "answers[0].answer", "there is no"),
        ({"answers": [{"answer": "A.", "attributable": "yes"}]}, "answers[0].attributable", "1, 0"),
        ({"answers": [{"answer": "A.", "informative": 2}]}, "answers[0].informative", "1, 0"),
        (
            {"answers": [{"answer": "A.", "sentences": [{"text": "A.", "informative": []}]}]},
            "answers[0].sentences[0].informative",
            "neither 1, 0 nor null",
        ),
        (
            {"answers": [{"answer": "A.", "sentences": [{"index": 0}]}]},
            "answers[0].sentences[0].text",
            "there is no text",
        ),
    ],
)
def test_a_bad_line_names_its_field_and_problem(
    tmp_path: Path, changes: dict[str, Any], field: str, words: str
) -> None:
    good, bad = read(tmp_path, line(), line(**{"query_id": "8", **changes}))
    assert isinstance(good, PassageRow)
    assert isinstance(bad, RowError)
    assert (bad.line, bad.field) == (2, field)
    assert words in str(bad)
    assert bad.fix
