"""AttributionBench's rows read as passages, in the dataset's own columns and as pairs."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.importing.came_with import sources_of
from pipeline.importing.passages import PassageRow, RowError, detect_format, read_passages

ROW: dict[str, Any] = {
    "id": "hagrid_7",
    "question": "Where does the Ribble end?",
    "claim": "The Ribble ends in the Irish Sea.",
    "claim_raw_string": "The Ribble ends in the Irish Sea [1].",
    "response": "The Ribble ends in the Irish Sea [1]. It is long.",
    "references": ["The Ribble runs west.", "It reaches the Irish Sea."],
    "citation_links": [],
    "webpage_references": [],
    "attribution_label": "attributable",
    "src_dataset": "HAGRID",
}
PAIR = {
    "id": "hagrid_7",
    "premise": "Title: Ribble\n\nThe Ribble runs west.",
    "hypothesis": "The Ribble runs east.",
    "context": "Where does the Ribble run?",
    "label": 0,
}


def read(folder: Path, row: dict[str, Any]) -> PassageRow | RowError:
    file = folder / "rows.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert detect_format(file) == "attributionbench"
    (found,) = read_passages(file)
    return found


def test_a_claim_is_a_passage_with_its_references_and_label(tmp_path: Path) -> None:
    row = read(tmp_path, ROW)
    assert isinstance(row, PassageRow)
    assert (row.external_id, row.text, row.context) == ("hagrid_7", ROW["claim"], ROW["question"])
    assert row.source == {key: ROW[key] for key in ROW if key not in {"id", "claim", "question"}}
    assert [each.text for each in sources_of(row.source)] == ROW["references"]


def test_a_pair_of_premise_and_hypothesis_is_one_too(tmp_path: Path) -> None:
    row = read(tmp_path, PAIR)
    assert isinstance(row, PassageRow)
    assert (row.text, row.context) == (PAIR["hypothesis"], PAIR["context"])
    assert row.source["label"] == 0
    assert [each.text for each in sources_of(row.source)] == [PAIR["premise"]]


@pytest.mark.parametrize(
    ("row", "field", "words"),
    [
        (ROW | {"references": "one"}, "references", "references is a text"),
        (ROW | {"references": []}, "references", "the list of references is empty"),
        (ROW | {"references": ["a", 3]}, "references[1]", "is a number"),
        (ROW | {"attribution_label": "yes"}, "attribution_label", "neither attributable nor"),
        (ROW | {"claim": " "}, "claim", "claim is empty"),
        (ROW | {"question": 5}, "question", "question is a number"),
        (PAIR | {"premise": None}, "premise", "premise is null"),
        (PAIR | {"hypothesis": 1}, "hypothesis", "hypothesis is a number"),
    ],
)
def test_a_bad_row_names_its_field_and_problem(
    tmp_path: Path, row: dict[str, Any], field: str, words: str
) -> None:
    error = read(tmp_path, row)
    assert isinstance(error, RowError)
    assert (error.line, error.field) == (1, field)
    assert words in str(error)
    assert error.fix
