"""Lines that `revise` reads and writes: the public RARR program's, and ours.

In: `{"input_info": {"claim": …, "context": …}}`, `{"id", "text", "context"}`, or a line of
`importing.contexts`. Out: the same object with the public program's `result` and further keys.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field

from pipeline.engine.auto_ais import Scores, sentences_to_plain
from pipeline.engine.cost import Usage
from pipeline.engine.engine import Outcome
from pipeline.importing import contexts
from pipeline.importing.fields import validate
from pipeline.importing.lines import kind_of
from pipeline.importing.passage_rows import passage_row
from pipeline.importing.rarr_results import CLAIM_FIELDS
from pipeline.importing.rows import MAX_PASSAGE_CHARACTERS, Fault, RowError, shortened
from pipeline.rarr.dialog import with_speakers
from pipeline.rarr.types import (
    OUTSIDE_TRACE,
    Document,
    Evidence,
    Passage,
    Revision,
    StepError,
    TraceStep,
    Verdict,
)

_DECISIONS = {
    Verdict.AGREES: "The evidence agrees with the passage.",
    Verdict.DISAGREES: "The evidence disagrees with the passage.",
    Verdict.IRRELEVANT: "The evidence is irrelevant to the question.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    number: int
    row: Mapping[str, Any]
    passage: Passage
    has_context: bool
    """Then the output's context is never null."""
    sources: tuple[Document, ...] = ()
    """Sources in the line, to search in."""


class _ClaimLine(BaseModel):
    text: Annotated[str, Field(max_length=MAX_PASSAGE_CHARACTERS)]
    context: Annotated[str | None, Field(max_length=MAX_PASSAGE_CHARACTERS)] = None


FIXES = {
    "text": "write a text",
    "text.string_too_long": "split it into several passages",
    "context": "write one text, a line for each turn",
    "context.string_too_long": "shorten it",
}


def read_row(
    number: int, row: Mapping[str, Any], *, file: str, claim_field: str = ""
) -> Line | RowError:
    """Read a line's passage, or its error.

    `claim_field` is the passage's key in `input_info`, "" for the first of `CLAIM_FIELDS`. A
    passage may be empty, but not missing. In a public line's context, line breaks become spaces, as
    there, unless it has `turns`: then the lines are those of a dialog.
    """
    names = {"text": "text", "context": "context"}
    holder = source = row
    prefix = ""
    try:
        if "input_info" in row or claim_field:
            wanted = (claim_field,) if claim_field else CLAIM_FIELDS
            info = row.get("input_info")
            if not isinstance(info, dict):
                is_there = "input_info" in row
                problem = f"input_info is {kind_of(info)}" if is_there else "there is no input_info"
                fix = f'write {{"input_info": {{"{wanted[0]}": "…"}}}}'
                raise Fault(problem, fix, field="input_info")
            holder, prefix = info, "input_info."
            names["text"] = next((name for name in wanted if name in info), wanted[0])
        elif "text" not in row and contexts.is_row(row):
            keys = contexts.names_of(row)
            names = {"text": keys["answer"], "context": keys["question"]}
            source = contexts.fields_of(row, keys)
        if names["text"] not in holder:
            known = ", ".join(shortened(key) for key in list(row)[:8]) or "none"
            raise Fault(
                "there is no passage" + ("" if prefix else f", the keys are {known}"),
                "name the field that holds it with --claim-field"
                if claim_field
                else 'write {"input_info": {"claim": "…"}} or {"id": "…", "text": "…"}',
                field=names["text"],
            )
        given = validate(
            _ClaimLine,
            {field: holder.get(name) for field, name in names.items()},
            fixes=FIXES,
            names=names,
        )
    except Fault as fault:
        fault.field = prefix + fault.field
        return fault.at(file, number)
    context = given.context or ""
    if "turns" in source:
        context = with_speakers(context, source["turns"])
    elif prefix:
        context = context.replace("\n", " ")
    made = passage_row(
        line=number,
        external_id=_identity(row, number),
        text=given.text,
        context=context,
        fields=dict(source),
        format="rarr",
    )
    return Line(
        number=number,
        row=row,
        passage=made.passage,
        has_context=given.context is not None,
        sources=made.source.documents,
    )


def written_row(line: Line, outcome: Outcome) -> dict[str, Any]:
    row = {key: value for key, value in line.row.items() if key != "result"}
    row["result"] = result_of(
        outcome.revision, scores=outcome.scores, usage=outcome.usage, has_context=line.has_context
    )
    return row


def result_of(
    revision: Revision, *, scores: Scores, usage: Usage, has_context: bool
) -> dict[str, Any]:
    """Return `result` with the public program's keys, then ours.

    An edit's first snippet is in `evidences`, others are in `beside` of its step.
    """
    turns = [step for step in revision.trace if step.evidence is not None]
    shares = _shares(revision.evidence)
    return {
        "context": revision.passage.context if has_context else None,
        "text": revision.passage.text,
        "questions": [query.text for query in revision.queries],
        "evidences_for_questions": [
            [_evidence(snippet, shares) for snippet in snippets] for snippets in revision.evidence
        ],
        "revisions": [
            {
                "original_text": revision.passage.text,
                "revised_text": revision.text,
                # Parallel lists.
                "evidences": [_evidence(step.evidence, shares) for step in turns if step.evidence],
                "agreement_gates": [_gate(step) for step in turns],
                "revision_steps": [_step(step, shares) for step in turns],
            }
        ],
        "selected_evidences": [_evidence(each, shares) for each in revision.report.evidence],
        "scores": {
            "attribution_before": scores.attribution_before,
            "attribution_after": scores.attribution_after,
            "attribution_restrictive_before": scores.restrictive_before,
            "attribution_restrictive_after": scores.restrictive_after,
            "preservation": scores.preservation,
            "f1_ap": scores.f1_ap,
            "coverage": revision.report.coverage,
            "sentences": sentences_to_plain(scores),
        },
        "skipped_pages": [asdict(page) for page in revision.skipped_pages],
        "usage": asdict(usage),
        "errors": [
            *({"where": OUTSIDE_TRACE, **_error(error)} for error in revision.errors),
            *(
                {"where": step.query.text, **_error(step.error)}
                for step in revision.trace
                if step.error
            ),
        ],
    }


def row_key(row: Mapping[str, Any]) -> str:
    """Return a key that an input line and its output share."""
    plain = {key: value for key, value in row.items() if key != "result"}
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _identity(row: Mapping[str, Any], number: int) -> str:
    name = row.get("id")
    is_name = isinstance(name, str | int) and not isinstance(name, bool) and str(name).strip()
    return str(name) if is_name else f"line-{number}"


def _shares(evidence: Sequence[Sequence[Evidence]]) -> dict[Evidence, float]:
    shares: dict[Evidence, float] = {}
    for snippets in evidence:
        top = max((snippet.relevance for snippet in snippets), default=0.0)
        weights = [math.exp(snippet.relevance - top) for snippet in snippets]
        total = math.fsum(weights)
        for snippet, weight in zip(snippets, weights, strict=True):
            shares.setdefault(snippet, weight / total)
    return shares


def _evidence(snippet: Evidence, shares: Mapping[Evidence, float]) -> dict[str, Any]:
    return {
        "text": snippet.text,
        "url": snippet.url,
        "query": snippet.query,
        "sents_per_passage": snippet.sentences,
        "retrieval_score": snippet.relevance,
        "score": shares.get(snippet, 1.0),
        "title": snippet.title,
        "heading": snippet.heading,
        "document_id": snippet.document_id,
        "start": snippet.start,
    }


def _gate(step: TraceStep) -> dict[str, Any]:
    if step.agreement is None:
        why = f"{step.error.kind}: {step.error.message}" if step.error else ""
        return {"is_open": False, "reason": why, "decision": None}
    return {
        "is_open": step.agreement.opens_gate,
        "reason": step.agreement.reason,
        "decision": _DECISIONS[step.agreement.verdict],
    }


def _step(step: TraceStep, shares: Mapping[Evidence, float]) -> dict[str, Any]:
    record: dict[str, Any] = {
        "text": step.text_after,
        "outcome": step.edit_outcome.value,
        "reason": step.edit_reason,
        "edit_distance": step.edit_distance,
        "rejected_text": step.rejected_text,
    }
    if step.additional_evidence:
        record["beside"] = [_evidence(each, shares) for each in step.additional_evidence]
    return record


def _error(error: StepError) -> dict[str, str]:
    return {"kind": error.kind, "message": error.message, "reply": error.reply}
