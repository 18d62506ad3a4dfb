"""Results of the public RARR program: revisions with their traces.

A line's `result` has `text, context, questions, evidences_for_questions,
revisions[0].{original_text, revised_text, evidences, agreement_gates, revision_steps},
selected_evidences`. Only `revised_text` is required.
"""

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from pipeline.importing.fields import make_row, validate
from pipeline.importing.rows import MAX_PASSAGE_CHARACTERS, Fault, PassageRow
from pipeline.rarr.types import (
    Agreement,
    EditOutcome,
    Evidence,
    Passage,
    Query,
    Report,
    Revision,
    StepError,
    TraceStep,
    Verdict,
)

CLAIM_FIELDS = ("claim", "model_outputs_explanation")
"""Keys of the passage: the public program's example, then its default."""
COLUMNS = {f"input_info.{name}" for name in (*CLAIM_FIELDS, "context")} | {
    "result.text",
    "result.context",
}
"""Passage and context; the result repeats them."""


class _Input(BaseModel):
    input_info: dict[str, Any]


def claim_field(keys: Container[str]) -> str:
    """Return the key of the passage among those of `input_info`."""
    return next((name for name in CLAIM_FIELDS if name in keys), CLAIM_FIELDS[0])


def rows(line: int, row: dict[str, Any]) -> Iterator[PassageRow]:
    """Read the passage of a line; the id may be in `input_info` or in the line."""
    fixes = {"input_info": 'write {"input_info": {"claim": "…"}}'}
    info = validate(_Input, row, fixes=fixes).input_info
    claim = claim_field(info)
    used = {claim} if info.get("context") == "" else {claim, "context"}
    fields = {key: value for key, value in row.items() if key not in {"id", "input_info"}}
    external_id, id_name = row.get("id"), "id"
    if external_id is None and isinstance(info.get("id"), str | int | float):
        external_id, id_name = info["id"], "input_info.id"
    rest = {key: value for key, value in info.items() if key not in used}
    if rest:
        fields["input_info"] = rest
    made = make_row(
        line,
        external_id=external_id,
        text=info.get(claim),
        context=info.get("context"),
        fields=fields,
        format="rarr",
        input_keys=list(info),
        number_id=external_id if id_name == "id" and isinstance(external_id, int) else None,
        names=(id_name, f"input_info.{claim}", "input_info.context"),
    )
    made.source.revision = revision_of(fields, passage=made.passage)
    yield made


class _Snippet(BaseModel):
    """The public program's have `text` only."""

    text: str
    title: str | None = None
    url: str | None = None
    query: str | None = None
    document_id: str | None = None
    heading: str | None = None
    start: int | None = None
    sents_per_passage: int | None = None
    retrieval_score: float | None = Field(None, allow_inf_nan=False)

    def as_evidence(self, query: str = "") -> Evidence:
        return Evidence(
            text=self.text,
            title=self.title or "",
            url=self.url or "",
            document_id=self.document_id or "",
            query=self.query or query,
            relevance=self.retrieval_score or 0.0,
            heading=self.heading or "",
            start=self.start or 0,
            sentences=self.sents_per_passage or 0,
        )


class _Gate(BaseModel):
    is_open: bool
    reason: str | None = None
    decision: str | None = None

    def as_agreement(self) -> Agreement | None:
        """Return None for an unreadable reply, which has no decision."""
        if self.decision is None and not self.is_open:
            return None
        is_irrelevant = "irrelevant" in (self.decision or "").lower()
        shut = Verdict.IRRELEVANT if is_irrelevant else Verdict.AGREES
        verdict = Verdict.DISAGREES if self.is_open else shut
        return Agreement(verdict=verdict, reason=self.reason or "")


class _Step(BaseModel):
    text: str


class _Revision(BaseModel):
    # Pres_Lev takes as long as both lengths multiplied.
    revised_text: str = Field(max_length=MAX_PASSAGE_CHARACTERS)
    evidences: list[_Snippet] | None = None
    agreement_gates: list[_Gate] | None = None
    revision_steps: list[_Step] | None = None


class _Result(BaseModel):
    questions: list[str] | None = None
    evidences_for_questions: list[list[_Snippet]] | None = None
    revisions: list[_Revision] = Field(min_length=1)
    selected_evidences: list[_Snippet] | None = None


class _RarrLine(BaseModel):
    result: _Result


FIXES: Mapping[str, str] = defaultdict(
    lambda: "write it as the public RARR program does, see docs/formats.md",
    missing="add it, or take the whole result out",
    too_short="add a revision",
    string_too_long="shorten it, or take the whole result out",
)
PARALLEL = ("evidences", "agreement_gates", "revision_steps")


def revision_of(fields: Mapping[str, Any], *, passage: Passage) -> Revision | None:
    """Read the revision in a line's `result`, if any; raises a `Fault` for the first error."""
    given = fields.get("result")
    if not isinstance(given, dict) or "revisions" not in given:
        return None
    result = validate(_RarrLine, fields, fixes=FIXES).result
    first, questions = result.revisions[0], result.questions or []
    evidence = [
        [snippet.as_evidence(question) for snippet in snippets]
        for question, snippets in zip(questions, result.evidences_for_questions or [], strict=False)
    ]
    if result.evidences_for_questions and len(result.evidences_for_questions) != len(questions):
        raise Fault(
            f"there are {len(result.evidences_for_questions)} lists of evidence for "
            f"{len(questions)} questions",
            "write a list for each question",
            field="result.evidences_for_questions",
        )
    lists = {name: getattr(first, name) for name in PARALLEL}
    lengths = {name: len(each) for name, each in lists.items() if each is not None}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{count} {name}" for name, count in lengths.items())
        raise Fault(
            f"the revision has {counts}",
            "write one of each for every turn, or leave the three lists out",
            field="result.revisions[0]",
        )
    trace = tuple(_trace(first, before=passage.text))
    leads = not trace or trace[-1].text_after == first.revised_text
    return Revision(
        passage=passage,
        text=first.revised_text,
        queries=tuple(Query(text=question) for question in questions),
        evidence=tuple(map(tuple, evidence)) or tuple(() for _ in questions),
        trace=trace if leads else (),
        report=_report(result, [each for snippets in evidence for each in snippets]),
    )


def _trace(revision: _Revision, *, before: str) -> Iterator[TraceStep]:
    lists = (
        revision.evidences or [],
        revision.agreement_gates or [],
        revision.revision_steps or [],
    )
    for snippet, gate, step in zip(*lists, strict=False):
        agreement, evidence = gate.as_agreement(), snippet.as_evidence()
        outcome = EditOutcome.NONE
        if step.text != before:
            outcome = EditOutcome.ACCEPTED
        elif gate.is_open:
            outcome = EditOutcome.UNCHANGED
        yield TraceStep(
            query=Query(text=evidence.query),
            evidence=evidence,
            agreement=agreement,
            edit_outcome=outcome,
            text_before=before,
            text_after=step.text,
            error=None
            if agreement
            else StepError(kind="UnreadableReply", message=gate.reason or "no verdict"),
        )
        before = step.text


def _report(result: _Result, evidence: Sequence[Evidence]) -> Report:
    known: dict[str, Evidence] = {}
    for each in evidence:
        known.setdefault(each.text, each)
    return Report(
        evidence=tuple(
            snippet.as_evidence()
            if snippet.url or snippet.query or snippet.text not in known
            else known[snippet.text]
            for snippet in result.selected_evidences or []
        )
    )
