"""A line of the public RARR program's output."""

from typing import Any

EVIDENCE = {
    "text": "The Ribble runs west to the Irish Sea.",
    "url": "https://example.org/ribble",
    "query": "Where does the Ribble flow?",
    "sents_per_passage": 4,
    "retrieval_score": 7.1,
    "score": 1.0,
}
BEFORE, AFTER = "The Ribble flows into the North Sea.", "The Ribble flows into the Irish Sea."
RESULT: dict[str, Any] = {
    "context": None,
    "text": BEFORE,
    "questions": ["Where does the Ribble flow?", "Who says so?"],
    "evidences_for_questions": [[EVIDENCE], [{**EVIDENCE, "query": "Who says so?", "text": "B."}]],
    "revisions": [
        {
            "original_text": BEFORE,
            "revised_text": AFTER,
            "evidences": [
                EVIDENCE,
                {**EVIDENCE, "query": "Who says so?", "text": "B."},
                {**EVIDENCE, "text": "C."},
            ],
            "agreement_gates": [
                {"is_open": True, "reason": "West it is.", "decision": "This disagrees."},
                {"is_open": False, "reason": "Not said.", "decision": "This is irrelevant to it."},
                {"is_open": False, "reason": "Failed to parse.", "decision": None},
            ],
            "revision_steps": [{"text": AFTER}, {"text": AFTER}, {"text": AFTER}],
        }
    ],
    "selected_evidences": [{"text": EVIDENCE["text"]}, {"text": "Found nowhere."}],
}
LINE = {"input_info": {"claim": BEFORE}, "result": RESULT}
