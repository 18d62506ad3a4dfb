"""The shapes of files that tools and studies publish, in our own words."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from pipeline.importing.passages import PassageRow, inspect_file, read_passages

Q, A, E = "Where does the Ribble end?", "In the Irish Sea [1].", "It runs west to the Irish Sea."
SENTENCE = {"text": A, "citations": [{"title": "Ribble", "text": E, "citation_precision_score": 2}]}
DOCS = [{"id": "1", "title": "Ribble", "text": E, "score": 0.7}]
HUMAN = {"question": Q, "output": A, "sentences": [{**SENTENCE, "sentence_recall_score": 1}]}
MISTRAL = {"model": "small-7b", "temperature": 0.7}

# Tool: format, kind of file, first row, and the expected context, sources and id.
SHAPES: dict[str, tuple[str, str, Any, str, int, str]] = {
    "RARR input": ("rarr", "jsonl", {"input_info": {"claim": A, "context": Q}}, Q, 0, ""),
    "HAGRID": (
        "hagrid",
        "jsonl",
        {
            "query_id": 7,
            "query": Q,
            "quotes": [{"idx": 1, "docid": "2#3", "text": E}],
            "answers": [{"answer": A, "attributable": 1, "sentences": [{"index": 0, "text": A}]}],
        },
        Q,
        1,
        "7-1",
    ),
    "ALCE output": (
        "alce",
        "object",
        {"args": {"model": "m"}, "data": [{"question": Q, "docs": DOCS, "output": A}]},
        Q,
        1,
        "",
    ),
    "ALCE human_eval": (
        "alce",
        "object",
        {"asqa": {"run.json": {"q1": HUMAN, "q2": HUMAN, "overall_results": {"recall": 0.5}}}},
        Q,
        1,
        "q1",
    ),
    "ALCE human_eval of one answer": (
        "alce",
        "object",
        {"asqa": {"run.json": {"q1": HUMAN, "overall_results": {"recall": 0.5}}}},
        Q,
        1,
        "q1",
    ),
    "RAGChecker human labels": (
        "jsonl",
        "json",
        {
            "query_id": "4",
            "query": Q,
            "model1": {"model_name": "m", "response": A, "critiques": "Short."},
            "model2": {"model_name": "n", "response": "At Lytham."},
            "overall_label": 1,
        },
        Q,
        0,
        "",
    ),
    "RAGAS 0.1 CSV": (
        "contexts",
        "csv",
        {"question": Q, "contexts": str([E, E]), "answer": A, "ground_truth": "Sea."},
        Q,
        2,
        "",
    ),
    "RAGAS lines": (
        "contexts",
        "jsonl",
        {"user_input": Q, "retrieved_contexts": [E], "response": A, "reference": "Sea."},
        Q,
        1,
        "",
    ),
    "RAGAS Parquet": (
        "contexts",
        "parquet",
        {"user_input": Q, "retrieved_contexts": [E], "response": A, "faithfulness": 1.0},
        Q,
        1,
        "",
    ),
    "DeepEval JSON": (
        "contexts",
        "json",
        {"input": Q, "actual_output": A, "retrieval_context": [E], "context": None},
        Q,
        1,
        "",
    ),
    "DeepEval CSV": (
        "contexts",
        "csv",
        {"input": Q, "actual_output": A, "retrieval_context": E, "context": ""},
        Q,
        1,
        "",
    ),
    "RAGChecker": (
        "contexts",
        "object",
        {
            "results": [
                {"query_id": "0", "query": Q, "gt_answer": "Sea.", "response": A}
                | {"retrieved_context": [{"doc_id": "0", "text": E}]}
            ]
        },
        Q,
        1,
        "0",
    ),
    "LangChain": (
        "contexts",
        "jsonl",
        {"query": Q, "source_documents": [{"page_content": E, "metadata": {}}], "result": A},
        Q,
        1,
        "",
    ),
    "LangChain chain": (
        "contexts",
        "jsonl",
        {"input": Q, "context": [{"page_content": E}], "answer": A},
        Q,
        1,
        "",
    ),
    "LlamaIndex": (
        "contexts",
        "jsonl",
        {"query": Q, "response": A, "source_nodes": [{"node": {"text": E}, "score": 0.5}]},
        Q,
        1,
        "",
    ),
    "AttributionBench": (
        "jsonl",
        "jsonl",
        {"id": "a1", "question": Q, "claim": A, "response": f"{A} {A}", "references": [E]},
        Q,
        1,
        "a1",
    ),
    "pairs for NLI": (
        "csv",
        "tsv",
        {"premise": E, "hypothesis": A, "label": "entailment"},
        "",
        1,
        "",
    ),
    "AIS of Attributed QA": (
        "csv",
        "csv",
        {"ex-idx": "1", "question": Q, "passage": E, "answer": A, "human_rating": "Y"},
        Q,
        1,
        "1",
    ),
    "AIS of RARR": ("csv", "csv", {"passage": A, "evidence": E, "AIS": "1"}, "", 1, ""),
    "FActScore": ("jsonl", "jsonl", {"input": Q, "output": A, "topic": "Ribble"}, Q, 0, ""),
    "FAVA": ("jsonl", "json", {"prompt": Q, "output": A, "annotated": f"<e>{A}</e>"}, Q, 0, ""),
    "RAGTruth": (
        "jsonl",
        "jsonl",
        {"id": "9", "source_id": "3", **MISTRAL, "labels": [], "response": A},
        "",
        0,
        "9",
    ),
    "WiCE": (
        "jsonl",
        "jsonl",
        {"label": "supported", "claim": A, "evidence": [E, E], "meta": {"id": "w1"}},
        "",
        2,
        "w1",
    ),
    "summaries": ("jsonl", "jsonl", {"document": E, "summary": A, "sid": "s1"}, "", 1, "s1"),
    "Label Studio CSV": ("csv", "csv", {"annotator": "1", "id": "4", "text": A}, "", 0, "4"),
    "Argilla JSON": (
        "jsonl",
        "json",
        {"id": "u1", "fields": {"text": A, "question": Q}, "responses": {}},
        Q,
        0,
        "u1",
    ),
    "doccano": ("jsonl", "jsonl", {"id": 3, "text": A, "label": ["ok"]}, "", 0, "3"),
    "keyed by id": ("jsonl", "object", {"x1": {"claim": A}, "x2": {"claim": A}}, "", 0, "x1"),
}


def write(path: Path, kind: str, row: Any) -> None:
    if kind in {"csv", "tsv"}:
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, row, delimiter="," if kind == "csv" else "\t")
            table.writeheader()
            table.writerow(row)
    elif kind == "parquet":
        parquet.write_table(pyarrow.Table.from_pylist([row]), path)
    else:
        path.write_text(json.dumps([row] if kind == "json" else row, indent=None) + "\n")


@pytest.mark.parametrize("tool", SHAPES)
def test_the_unchanged_file_is_read(tmp_path: Path, tool: str) -> None:
    format_, kind, row, context, sources, name = SHAPES[tool]
    path = tmp_path / "file"
    write(path, kind, row)
    assert inspect_file(path).format == format_
    first, *_ = read_passages(path)
    assert isinstance(first, PassageRow), str(first)
    assert (first.text, first.context) == (A, context)
    assert [each.text for each in first.source.with_text] == [E] * sources
    assert first.external_id == name if name else first.external_id.startswith("sha-")


@pytest.mark.parametrize(
    ("row", "is_document"),
    [
        ({"query_id": "7", "query": Q, "positive_passages": [{"docid": "2#3", "text": E}]}, False),
        ({"question": Q, "qa_pairs": [], "answer": "Sea.", "docs": DOCS}, True),
        ({"question": Q, "answers": [["Irish Sea"]], "docs": DOCS}, True),
        ({"Type": "x", "Question": Q, "Best Answer": "The Irish Sea, at Lytham."}, False),
    ],
)
def test_questions_of_data_sets_stay_questions(
    tmp_path: Path, row: dict[str, Any], is_document: bool
) -> None:
    path = tmp_path / "file"
    write(path, "json" if is_document else "jsonl", row)
    (first,) = read_passages(path)
    assert isinstance(first, PassageRow)
    assert (first.format, first.text, first.context) == ("questions", "", Q)
