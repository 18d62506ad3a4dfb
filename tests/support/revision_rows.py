"""Rows of finished revisions, built without running the algorithm."""

from typing import Any

from pipeline.engine.auto_ais import Scores, SentenceScore, sentences_to_plain
from pipeline.models import Revision, Run
from pipeline.rarr import types
from pipeline.rarr.serialization import to_plain
from pipeline.rarr.types import (
    Agreement,
    EditOutcome,
    Evidence,
    Passage,
    Query,
    Report,
    StepError,
    TraceStep,
    Verdict,
)
from pipeline.text.spans import Span
from tests.support.factories import make_passage, make_run, spans_of

ORIGINAL = (
    "The Wenna Viaduct carries the coast railway over the river Wenna. "
    "It was built between 1871 and 1879 and has nineteen arches. "
    "Its engineer was Ada Thorne. "
    "On windy days the trains are said to sing."
)
REVISED = ORIGINAL.replace("1879", "1874").replace("nineteen", "seventeen")

VIADUCT = Evidence(
    document_id="wenna",
    title="Wenna Viaduct",
    heading="Construction",
    url="https://rails.example/wenna?lang=en&page=2",
    text=(
        "Work on the viaduct began in 1871 under the engineer Ada Thorne. "
        "The first train crossed its seventeen arches in 1874."
    ),
    query="When was the Wenna Viaduct built?",
    relevance=0.9,
)
RIVER = Evidence(
    document_id="river",
    title="River Wenna",
    heading="Crossings",
    url="ftp://rivers.example/wenna",
    text="The coast railway crosses the Wenna on a viaduct of stone, two miles above the mouth.",
    query="What does the Wenna Viaduct carry over the river?",
    relevance=0.7,
)


def span_of(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start=start, end=start + len(part))


def _disagreement(text: str, ours: str, theirs: str) -> Agreement:
    return Agreement(
        verdict=Verdict.DISAGREES,
        reason=f"The passage says {ours}, the evidence says {theirs}.",
        passage_answer=ours,
        evidence_answer=theirs,
        passage_span=span_of(text, ours),
        evidence_span=span_of(VIADUCT.text, theirs),
    )


def _step(query: Query, before: str, after: str = "", **values: Any) -> TraceStep:
    return TraceStep(query=query, text_before=before, text_after=after or before, **values)


def _edited(query: Query, before: str, ours: str, theirs: str, *, distance: int) -> TraceStep:
    return _step(
        query,
        before,
        before.replace(ours, theirs),
        evidence=VIADUCT,
        agreement=_disagreement(before, ours, theirs),
        edit_outcome=EditOutcome.ACCEPTED,
        edit_reason=f"{ours} has to be {theirs}.",
        edit_distance=distance,
    )


def viaduct() -> types.Revision:
    """Agreement, accepted and rejected edits, irrelevant and missing evidence, an error."""
    half = ORIGINAL.replace("1879", "1874")
    queries = tuple(
        Query(text=text)
        for text in (
            "What does the Wenna Viaduct carry over the river?",
            "When was the Wenna Viaduct built?",
            "How many arches has the Wenna Viaduct?",
            "Who was the engineer of the Wenna Viaduct?",
            "Which sound do the trains make?",
            "Who says that the trains sing?",
            "On which days do the trains sing?",
        )
    )
    trace = (
        _step(
            queries[0],
            ORIGINAL,
            evidence=RIVER,
            agreement=Agreement(
                verdict=Verdict.AGREES,
                reason="Both say the coast railway.",
                passage_answer="the coast railway",
                evidence_answer="The coast railway",
                evidence_span=span_of(RIVER.text, "The coast railway"),
            ),
        ),
        _edited(queries[1], ORIGINAL, "1879", "1874", distance=1),
        _edited(queries[2], half, "nineteen", "seventeen", distance=4),
        _step(
            queries[3],
            REVISED,
            evidence=VIADUCT,
            agreement=_disagreement(REVISED, "Ada Thorne", "Ada Thorne"),
            edit_outcome=EditOutcome.REJECTED_CHARACTERS,
            edit_reason="The edit changes 72 characters; the limit is 50.",
            edit_distance=72,
            rejected_text=REVISED.replace(
                "Its engineer was Ada Thorne.",
                "Nobody knows for certain who drew it, and many have been named by many people.",
            ),
        ),
        _step(
            queries[4],
            REVISED,
            evidence=RIVER,
            agreement=Agreement(
                verdict=Verdict.IRRELEVANT, reason="The evidence does not speak of sounds."
            ),
        ),
        _step(queries[5], REVISED),
        _step(
            queries[6],
            REVISED,
            evidence=RIVER,
            edit_outcome=EditOutcome.ERROR,
            error=StepError(
                kind="UnreadableReply",
                message="The reply names no verdict.",
                reply="Well, it depends on how one looks at it.",
            ),
        ),
    )
    return types.Revision(
        passage=Passage(id="viaduct", text=ORIGINAL, context="When was the Wenna Viaduct built?"),
        text=REVISED,
        queries=queries,
        evidence=((RIVER,), (VIADUCT,), (VIADUCT,), (VIADUCT,), (RIVER,), (), (RIVER,)),
        trace=trace,
        report=Report(
            evidence=(VIADUCT, RIVER),
            coverage=4.1,
            covers=(tuple(q.text for q in queries[1:4]), (queries[0].text, queries[4].text)),
        ),
        errors=(StepError(kind="TransientError", message="One search timed out and was left."),),
    )


VIADUCT_BEFORE = ((0.94, 1, 0.01, 0), (0.06, 0, 0.91, 0), (0.9, 0, 0.0, 1), (0.12, 1, 0.03, 0))
VIADUCT_AFTER = ((0.94, 1, 0.01, 0), (0.95, 0, 0.02, 1), (0.9, 0, 0.0, 1), (0.12, 1, 0.03, 0))


def scored(text: str, *figures: tuple[float, int, float, int]) -> tuple[SentenceScore, ...]:
    """The sentences of a text as (entailed, evidence, contradicted, contradicted_by)."""
    sentences = text.replace(". ", ".\n").split("\n")
    return tuple(
        SentenceScore(
            **span,
            text=sentence,
            decontextualized=sentence.replace("It was", "The Wenna Viaduct was"),
            entailed=entailed,
            evidence=evidence,
            contradicted=contradicted,
            contradicted_by=by,
        )
        for sentence, span, (entailed, evidence, contradicted, by) in zip(
            sentences, spans_of(*sentences), figures, strict=True
        )
    )


def plain_sentences(
    before: tuple[SentenceScore, ...], after: tuple[SentenceScore, ...]
) -> dict[str, list[dict[str, Any]]]:
    figures = ("attribution_before", "attribution_after", "preservation", "f1_ap")
    return sentences_to_plain(Scores(before=before, after=after, **dict.fromkeys(figures)))


def make_finished(
    revision: types.Revision,
    sentences: dict[str, Any] | None = None,
    *,
    run: Run | None = None,
    **values: Any,
) -> Revision:
    run = run or make_run()
    passage = values.pop("passage", None) or make_passage(
        run.dataset,
        text=revision.passage.text,
        context=revision.passage.context,
        **{"external_id": values.pop("external_id")} if "external_id" in values else {},
    )
    outcomes = [step.edit_outcome for step in revision.trace]
    return Revision.objects.create(
        **{
            "run": run,
            "passage": passage,
            "state": Revision.State.DONE,
            "original_text": revision.passage.text,
            "context": revision.passage.context,
            "text": revision.text,
            "result": to_plain(revision),
            "sentences": sentences or {},
            "is_changed": revision.is_changed,
            "edits_accepted": outcomes.count(EditOutcome.ACCEPTED),
            "edits_rejected": sum(outcome.is_rejection for outcome in outcomes),
            **values,
        }
    )


def make_viaduct(run: Run | None = None, **values: Any) -> Revision:
    return make_finished(
        viaduct(),
        plain_sentences(scored(ORIGINAL, *VIADUCT_BEFORE), scored(REVISED, *VIADUCT_AFTER)),
        run=run,
        **{
            "attribution_before": 0.505,
            "attribution_after": 0.7275,
            "preservation": 0.9756,
            "f1_ap": 0.8335,
            "usage": {"seconds": 0.42, "queries": 7, "searches": 7, "model_calls": 0},
            **values,
        },
    )
