"""Files of the shapes that tools and studies publish, in our own words."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

Q, A, E = "Where does the Ribble end?", "In the Irish Sea [1].", "It runs west to the Irish Sea."
SENTENCE = {"text": A, "citations": [{"title": "Ribble", "text": E, "citation_precision_score": 2}]}
DOCS = [{"id": "1", "title": "Ribble", "text": E, "score": 0.7}]
HUMAN = {"question": Q, "output": A, "sentences": [{**SENTENCE, "sentence_recall_score": 1}]}
MISTRAL = {"model": "small-7b", "temperature": 0.7}

# Tool: format, kind of file, number of sources, and id; then its first row.
SHAPES: dict[str, Any] = {
    "RARR input: rarr jsonl 0": {"input_info": {"claim": A, "context": Q}},
    "HAGRID: hagrid jsonl 1 7-1": {
        "query_id": 7,
        "query": Q,
        "quotes": [{"idx": 1, "docid": "2#3", "text": E}],
        "answers": [{"answer": A, "attributable": 1, "sentences": [{"index": 0, "text": A}]}],
    },
    "ALCE output: alce object 1": {
        "args": {"model": "m"},
        "data": [{"question": Q, "docs": DOCS, "output": A}],
    },
    "ALCE human_eval: alce object 1 q1": {
        "asqa": {"run.json": {"q1": HUMAN, "q2": HUMAN, "overall_results": {"recall": 0.5}}}
    },
    "ALCE human_eval of one answer: alce object 1 q1": {
        "asqa": {"run.json": {"q1": HUMAN, "overall_results": {"recall": 0.5}}}
    },
    "RAGChecker human labels: jsonl json 0": {
        "query_id": "4",
        "query": Q,
        "model1": {"model_name": "m", "response": A, "critiques": "Short."},
        "model2": {"model_name": "n", "response": "At Lytham."},
        "overall_label": 1,
    },
    "RAGAS 0.1 CSV: contexts csv 2": {
        "question": Q,
        "contexts": str([E, E]),
        "answer": A,
        "ground_truth": "Sea.",
    },
    "RAGAS lines: contexts jsonl 1": {
        "user_input": Q,
        "retrieved_contexts": [E],
        "response": A,
        "reference": "Sea.",
    },
    "RAGAS Parquet: contexts parquet 1": {
        "user_input": Q,
        "retrieved_contexts": [E],
        "response": A,
        "faithfulness": 1.0,
    },
    "DeepEval JSON: contexts json 1": {
        "input": Q,
        "actual_output": A,
        "retrieval_context": [E],
        "context": None,
    },
    "DeepEval CSV: contexts csv 1": {
        "input": Q,
        "actual_output": A,
        "retrieval_context": E,
        "context": "",
    },
    "RAGChecker: contexts object 1 0": {
        "results": [
            {"query_id": "0", "query": Q, "gt_answer": "Sea.", "response": A}
            | {"retrieved_context": [{"doc_id": "0", "text": E}]}
        ]
    },
    "LangChain: contexts jsonl 1": {
        "query": Q,
        "source_documents": [{"page_content": E, "metadata": {}}],
        "result": A,
    },
    "LangChain chain: contexts jsonl 1": {
        "input": Q,
        "context": [{"page_content": E}],
        "answer": A,
    },
    "LlamaIndex: contexts jsonl 1": {
        "query": Q,
        "response": A,
        "source_nodes": [{"node": {"text": E}, "score": 0.5}],
    },
    "AttributionBench: jsonl jsonl 1 a1": {
        "id": "a1",
        "question": Q,
        "claim": A,
        "response": f"{A} {A}",
        "references": [E],
    },
    "pairs for NLI: csv tsv 1": {"premise": E, "hypothesis": A, "label": "entailment"},
    "AIS of Attributed QA: csv csv 1 1": {
        "ex-idx": "1",
        "question": Q,
        "passage": E,
        "answer": A,
        "human_rating": "Y",
    },
    "AIS of RARR: csv csv 1": {"passage": A, "evidence": E, "AIS": "1"},
    "FActScore: jsonl jsonl 0": {"input": Q, "output": A, "topic": "Ribble"},
    "FAVA: jsonl json 0": {"prompt": Q, "output": A, "annotated": f"<e>{A}</e>"},
    "RAGTruth: jsonl jsonl 0 9": {
        "id": "9",
        "source_id": "3",
        **MISTRAL,
        "labels": [],
        "response": A,
    },
    "WiCE: jsonl jsonl 2 w1": {
        "label": "supported",
        "claim": A,
        "evidence": [E, E],
        "meta": {"id": "w1"},
    },
    "summaries: jsonl jsonl 1 s1": {"document": E, "summary": A, "sid": "s1"},
    "Label Studio CSV: csv csv 0 4": {"annotator": "1", "id": "4", "text": A},
    "Argilla JSON: jsonl json 0 u1": {
        "id": "u1",
        "fields": {"text": A, "question": Q},
        "responses": {},
    },
    "doccano: jsonl jsonl 0 3": {"id": 3, "text": A, "label": ["ok"]},
    "AutoRAG: contexts parquet 1": {
        "query": Q,
        "retrieved_contents": [E],
        "generated_texts": A,
        "retrieved_ids": ["d1"],
    },
    "Azure AI evaluation: csv csv 1": {"query": Q, "response": A, "context": E},
    "HotpotQA with answers: contexts json 1 5a": {
        "_id": "5a",
        "question": Q,
        "context": [["Ribble", [E]]],
        "answer": A,
    },
    "Self-RAG: contexts jsonl 1": {
        "question": Q,
        "output": A,
        "ctxs": [{"title": "Ribble", "text": E}],
    },
    "AggreFact: csv csv 1": {"summary": A, "doc": E, "label": "1"},
    "Langfuse traces: csv csv 0 t1": {
        "id": "t1",
        "input": json.dumps({"question": Q}),
        "output": json.dumps({"answer": A}),
    },
    "CRAG: jsonl jsonl 1": {
        "query": Q,
        "answer": A,
        "search_results": [
            {"page_name": "Ribble", "page_url": "https://example.org/", "page_snippet": E}
            | {"page_result": "<p>All of a long page.</p>"}
        ],
    },
    "evidence under another key: jsonl jsonl 1": {
        "claim": A,
        "hits": [{"title": "Ribble", "text": E}],
        "spans": [{"text": A, "start": 0}],
    },
    "keyed by id: jsonl object 0 x1": {"x1": {"claim": A}, "x2": {"claim": A}},
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
