"""Import of ALCE's run output."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.importing import records
from pipeline.importing.passages import PassageRow, RowError, read_passages
from tests.support.factories import only

ITEM = {
    "question": "Who wrote Nim?",
    "answer": "Ada Lee.",
    "docs": [{"title": "Nim", "text": "Nim is by Ada Lee."}],
    "prompt": "…",
    "output": "Nim was written by Ada Lee [1].",
}


def read(folder: Path, text: str, format: str = "auto") -> list[PassageRow | RowError]:  # noqa: A002
    file = folder / "out.json"
    file.write_text(text, encoding="utf-8")
    return list(read_passages(file, format=format))


def output(*items: Any, **around: Any) -> str:
    return json.dumps({"args": {"data": [1]}, "data": items, "total_cost": 0.5, **around}, indent=2)


def test_an_output_is_a_passage_with_its_question_and_all_other_fields(tmp_path: Path) -> None:
    row = only(PassageRow, read(tmp_path, output(ITEM)))
    assert (row.text, row.context) == (ITEM["output"], ITEM["question"])
    assert row.source.extra == {key: ITEM[key] for key in ("answer", "docs", "prompt")}
    assert row.line == 1


@pytest.mark.parametrize(
    ("args", "model"), [({"model": "m"}, "m"), ({"model": 3}, None), ({}, None), ([], None)]
)
def test_the_model_of_the_run_goes_with_each_answer(
    tmp_path: Path, args: object, model: str | None
) -> None:
    row = only(PassageRow, read(tmp_path, json.dumps({"args": args, "data": [ITEM]})))
    assert row.source.extra.get("model") == model


def test_several_samples_are_a_passage_each(tmp_path: Path) -> None:
    rows = read(tmp_path, output({**ITEM, "sample_id": 7, "output": ["One.", "Two."]}))
    texts = [(row.external_id, row.text) for row in rows if isinstance(row, PassageRow)]
    assert texts == [("7-1", "One."), ("7-2", "Two.")]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (json.dumps({"data": [ITEM], "args": {}}), "auto"),
        ("\ufeff" + output(ITEM), "auto"),
        (json.dumps([ITEM]), "auto"),
        (json.dumps({"total_cost": 1.0, "data": [ITEM]}), "auto"),
    ],
)
def test_every_form_of_the_file_is_read(tmp_path: Path, text: str, format: str) -> None:  # noqa: A002
    only(PassageRow, read(tmp_path, text, format))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (output({**ITEM, "output": ""}), 1, "output is empty"),
        (output({"question": "Why?"}), 1, "output"),
        (output({**ITEM, "question": None}), 1, "question is null"),
        (output({**ITEM, "docs": [{"title": "Nim"}]}), 1, "there is no"),
        (output({**ITEM, "prompt": "\x00"}), 1, "field prompt: the text holds a NUL"),
        (output(), 0, "no rows"),
        ('{"args": {}, "data": 3}', 0, "no column is known to hold the text"),
        ('{"args": {},\n "data": [{"question": ', 0, "not JSON from line 2"),
        ('{"args": {}, "data": [' + "[" * 100_000, 1, "nested too deeply"),
        ('{"data": [\n{"n": 1, "n": 2}]}', 0, 'cannot be read: an object has the key "n" twice'),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    form = "auto" if line == 0 else "alce"
    error = only(RowError, read(tmp_path, text, form))
    assert error.line == line
    assert words in str(error)


def test_a_bad_item_leaves_the_others_readable(tmp_path: Path) -> None:
    rows = read(tmp_path, output(ITEM, {}, 3, {**ITEM, "output": "Another.", "n": float("nan")}))
    assert [type(row) for row in rows] == [PassageRow, RowError, RowError, PassageRow]
    assert "not a JSON object" in str(rows[2])
    assert isinstance(rows[3], PassageRow)
    assert rows[3].source.extra["n"] is None


def test_a_file_that_would_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MAX_DOCUMENT_BYTES", 10)
    (error,) = read(tmp_path, output(ITEM))
    assert "larger than" in str(error)
