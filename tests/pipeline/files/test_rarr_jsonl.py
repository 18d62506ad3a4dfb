"""Lines as the public RARR program reads and writes them."""

import json
import math
from typing import Any

import pytest

from pipeline.engine.auto_ais import ScoringModels, score
from pipeline.engine.cost import Usage
from pipeline.engine.engine import Outcome
from pipeline.files.rarr_jsonl import Line, read_row, row_key, written_row
from pipeline.importing.rows import RowError
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.systems import load_system
from pipeline.rarr.types import Passage, ProposedEdit, Revision
from tests.pipeline.rarr.test_loop import QUESTIONS, SHELF, TEXT, revised, searched
from tests.support.rarr_fakes import (
    Gate,
    Nli,
    Pen,
    Questions,
    SharedWords,
    Shelf,
    Splitter,
    StandAlone,
    document,
    make_components,
)

EVIDENCE_KEYS = ["text", "url", "query", "sents_per_passage", "retrieval_score", "score"]


def read(row: dict[str, Any], *, claim_field: str = "") -> Line:
    line = read_row(3, row, file="in.jsonl", claim_field=claim_field)
    assert isinstance(line, Line), line
    return line


def write(row: dict[str, Any], revision: Revision) -> dict[str, Any]:
    """The row with its result, as it comes back from JSON."""
    scores = score(revision, ScoringModels(Nli(), Splitter(), StandAlone()))
    outcome = Outcome(revision=revision, scores=scores, usage=Usage(seconds=0.5))
    return dict(json.loads(json.dumps(written_row(read(row), outcome))))


def result_of(revision: Revision) -> dict[str, Any]:
    return dict(write({"text": revision.passage.text}, revision)["result"])


@pytest.mark.parametrize(
    ("row", "name", "text", "context"),
    [
        ({"input_info": {"claim": "It.", "context": "A\nb."}, "my": 1}, "line-3", "It.", "A b."),
        ({"input_info": {"model_outputs_explanation": "It."}}, "line-3", "It.", ""),
        ({"id": 7, "text": "It\nflows.", "context": "Q1\nA1"}, "7", "It\nflows.", "Q1\nA1"),
        ({"id": "7", "text": ""}, "7", "", ""),
        ({"id": 7, "text": "It.", "turns": ["Hi.", "Q1"]}, "7", "It.", "System: Hi.\nUser: Q1"),
        (
            {"input_info": {"claim": "It.", "context": "A\nb"}, "turns": 2},
            "line-3",
            "It.",
            "System: A\nUser: b",
        ),
    ],
)
def test_a_line_of_each_form_gives_its_passage(
    row: dict[str, Any], name: str, text: str, context: str
) -> None:
    passage = read(row).passage
    assert (passage.id, passage.text, passage.context) == (name, text, context)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({}, "field text: there is no passage, the keys are none"),
        ({"claim": "x"}, "the keys are claim"),
        ({"text": 3}, "field text: text is a number (found 3); write a text."),
        ({"text": "x", "context": ["a"]}, "field context: context is a list"),
        ({"text": "x", "context": ["a"]}, "write one text, a line for each turn."),
        ({"text": "x" * 200_001}, f"limit is 200,000 (found {'x' * 60}…); split it into several"),
        ({"text": "x", "context": "x" * 200_001}, "field context: context has 200,001 characters"),
        ({"input_info": "x"}, "field input_info: input_info is a text"),
        ({"input_info": None, "text": "x"}, "field input_info: input_info is null"),
        ({"input_info": {}}, "field input_info.claim: there is no passage"),
        ({"input_info": {"text": "x"}}, "field input_info.claim: there is no passage"),
        ({"input_info": {"claim": None}}, "field input_info.claim: claim is null"),
    ],
)
def test_a_line_without_a_passage_is_refused_in_a_sentence(
    row: dict[str, Any], expected: str
) -> None:
    error = read_row(3, row, file="in.jsonl")
    assert isinstance(error, RowError)
    assert str(error).startswith("in.jsonl, line 3, ")
    assert expected in str(error)


def test_the_claim_is_read_from_a_named_field_of_the_object_only() -> None:
    row = {"input_info": {"claim": "No.", "answer": "Yes."}}
    assert read(row, claim_field="answer").passage.text == "Yes."
    error = read_row(3, {"text": "x"}, file="in.jsonl", claim_field="answer")
    assert 'write {"input_info": {"answer": "…"}}.' in str(error)


def test_other_keys_are_carried_through_and_an_old_result_is_replaced() -> None:
    others = {"input_info": {"claim": TEXT, "x": [1]}, "my_id": 7}
    row = {**others, "result": "old"}
    written = write(row, revised(TEXT))
    assert {key: written[key] for key in others} == others
    assert written["result"]["text"] == TEXT
    assert row_key(written) == row_key(row)


def test_the_result_has_the_public_programs_keys_in_their_order() -> None:
    result = result_of(searched(agreement_model=Gate(["1902"]), edit_model=Pen({"1902": "1904"})))
    context, text, questions, evidences, revisions, selected = list(result.items())[:6]
    assert context == ("context", None)
    assert text == ("text", TEXT)
    assert questions == ("questions", list(SHELF))
    assert (evidences[0], len(evidences[1])) == ("evidences_for_questions", 2)
    assert (revisions[0], selected[0]) == ("revisions", "selected_evidences")
    [revision] = revisions[1]
    lists = ["evidences", "agreement_gates", "revision_steps"]
    assert list(revision) == ["original_text", "revised_text", *lists]
    after = TEXT.replace("1902", "1904")
    assert (revision["original_text"], revision["revised_text"]) == (TEXT, after)
    assert len(revision["evidences"]) == len(revision["agreement_gates"]) == 2
    assert [step["text"] for step in revision["revision_steps"]] == [after] * 2
    gate = revision["agreement_gates"][0]
    assert gate["is_open"] is True
    assert "disagrees" in gate["decision"]
    for evidence in [*revision["evidences"], *selected[1]]:
        assert list(evidence)[:6] == EVIDENCE_KEYS
        assert (evidence["score"], evidence["sents_per_passage"]) == (1.0, 1)
    scores = result["scores"]
    assert 0 < scores["attribution_before"] < scores["attribution_after"] <= 1
    assert scores["attribution_restrictive_after"] is not None
    assert result["usage"]["seconds"] == 0.5
    assert result["errors"] == []


def test_steps_stay_parallel_to_evidence_where_a_query_found_none() -> None:
    result = result_of(searched(query_generator=Questions(["Nothing?", *SHELF])))
    [revision] = result["revisions"]
    assert result["evidences_for_questions"][0] == []
    assert len(revision["evidences"]) == len(revision["revision_steps"]) == 2


def test_snippets_are_scored_over_all_pages_of_a_query_before_j_is_applied() -> None:
    relevance = SharedWords(lambda query, text: 2.0 if "1904" in text else 1.0)
    shelf = Shelf({"Q?": [document("It opened in 1904.", id="a"), document("No.", id="b")]})
    search = {"query_generator": Questions(["Q?"]), "retriever": shelf, "relevance": relevance}
    result = result_of(searched(settings={"evidence_per_query": 1}, **search))
    [[first, second]] = result["evidences_for_questions"]
    assert (first["retrieval_score"], second["retrieval_score"]) == (2.0, 1.0)
    assert first["score"] == pytest.approx(math.e / (math.e + 1))
    assert first["score"] + second["score"] == pytest.approx(1.0)
    assert list(first)[:6] == EVIDENCE_KEYS
    assert result["revisions"][0]["evidences"] == result["selected_evidences"] == [first]


def test_a_passage_without_evidence_has_a_result_too() -> None:
    result = write({"text": "", "context": ""}, revised(""))["result"]
    assert (result["context"], result["revisions"][0]["revised_text"]) == ("", "")
    assert result["selected_evidences"] == []
    assert result["scores"]["attribution_after"] is None


def test_an_unreadable_verdict_is_named_in_gate_and_errors() -> None:
    question = "When did the hall open?"
    gate = Gate(errors={question: UnreadableReply("No verdict.", reply="Hm")})
    result = result_of(searched(agreement_model=gate))
    first = result["revisions"][0]["agreement_gates"][0]
    assert first == {"is_open": False, "reason": "UnreadableReply: No verdict.", "decision": None}
    reply = {"message": "No verdict.", "reply": "Hm"}
    assert result["errors"] == [{"where": question, "kind": "UnreadableReply", **reply}]


def test_a_line_shows_all_evidence_of_one_rewriting() -> None:
    class Writer:
        def rewrite(self, **given: object) -> ProposedEdit:
            return ProposedEdit(text="It opened.", reason="")

    search: dict[str, Any] = {"query_generator": QUESTIONS, "retriever": Shelf(SHELF)}
    components = make_components(corrector=Writer(), **search)
    passage = Passage(id="1", text=TEXT)
    revision = load_system("efec")(passage, components=components, config=RarrConfig())
    [rewritten] = result_of(revision)["revisions"]
    assert rewritten["revised_text"] == "It opened."
    [step], [first] = rewritten["revision_steps"], rewritten["evidences"]
    assert first["document_id"] == "a"
    assert [each["document_id"] for each in step["beside"]] == ["b"]
