"""RARR, whole (section 3): research, then revision over the current y, then the report.

Errors: a model's unreadable reply is named in the result, and the loop goes on. Any other
`RarrError` is raised: a `TransientError` is worth another try of the whole passage, and what
is wrong with the configuration or the index is no passage's own fault.
"""

from collections.abc import Iterator

from pipeline.rarr.agreement import judge
from pipeline.rarr.editing import edit
from pipeline.rarr.ports import Steps
from pipeline.rarr.query_generation import generate_queries
from pipeline.rarr.report import select
from pipeline.rarr.retrieval import retrieve
from pipeline.rarr.types import (
    EditOutcome,
    Evidence,
    Passage,
    Query,
    RarrConfig,
    Report,
    Revision,
    StepError,
    TraceStep,
    UnreadableReply,
)


def revise(passage: Passage, *, steps: Steps, config: RarrConfig) -> Revision:
    """Research the passage, revise what its evidence disagrees with, and report the evidence.

    A passage without queries or without evidence comes back as it was, with an empty report.
    """
    errors: list[StepError] = []
    queries: tuple[Query, ...] = ()
    evidence: tuple[tuple[Evidence, ...], ...] = ()
    report = Report()
    try:
        queries = generate_queries(
            passage,
            generator=steps.query_generator,
            samples=config.query_samples,
            temperature=config.query_temperature,
        )
        evidence = tuple(() for _ in queries)
        evidence = retrieve(
            queries,
            retriever=steps.retriever,
            relevance=steps.relevance,
            splitter=steps.splitter,
            config=config,
        )
    except UnreadableReply as error:
        errors.append(StepError.of(error))

    trace = tuple(_trace(passage, queries, evidence, steps=steps, config=config))

    try:
        report = select(
            queries,
            evidence,
            relevance=steps.relevance,
            size=config.report_size,
            edited_from={
                step.evidence
                for step in trace
                if step.evidence and step.edit_outcome is EditOutcome.KEPT
            },
        )
    except UnreadableReply as error:
        errors.append(StepError.of(error))

    return Revision(
        passage=passage,
        text=trace[-1].text_after if trace else passage.text,
        queries=queries,
        evidence=evidence,
        trace=trace,
        report=report,
        errors=tuple(errors),
    )


def _trace(
    passage: Passage,
    queries: tuple[Query, ...],
    evidence: tuple[tuple[Evidence, ...], ...],
    *,
    steps: Steps,
    config: RarrConfig,
) -> Iterator[TraceStep]:
    """The turns of the loop: queries in their order, each with its evidence by rank."""
    current = passage.text
    for query, found in zip(queries, evidence, strict=True):
        if not found:
            yield TraceStep(query=query, text_before=current, text_after=current)
        for snippet in found:
            step = _turn(passage, current, query, snippet, steps=steps, config=config)
            yield step
            current = step.text_after


def _turn(
    passage: Passage,
    current: str,
    query: Query,
    evidence: Evidence,
    *,
    steps: Steps,
    config: RarrConfig,
) -> TraceStep:
    agreement = judge(
        model=steps.agreement, passage=passage, current=current, query=query, evidence=evidence
    )
    if isinstance(agreement, StepError):
        return TraceStep(
            query=query,
            evidence=evidence,
            edit_outcome=EditOutcome.ERROR,
            text_before=current,
            text_after=current,
            error=agreement,
        )
    if not agreement.is_open:
        return TraceStep(
            query=query,
            evidence=evidence,
            agreement=agreement,
            text_before=current,
            text_after=current,
        )
    edited = edit(
        model=steps.editor,
        passage=passage,
        current=current,
        query=query,
        evidence=evidence,
        agreement=agreement,
        max_characters=config.max_edit_characters,
        max_ratio=config.max_edit_ratio,
    )
    return TraceStep(
        query=query,
        evidence=evidence,
        agreement=agreement,
        edit_outcome=edited.outcome,
        edit_reason=edited.reason,
        edit_distance=edited.distance,
        text_before=current,
        text_after=edited.text,
        rejected_text=edited.rejected_text,
        error=edited.error,
    )
