"""RARR, whole (section 3): research, then revision over the current y, then the report.

Errors: a model's unreadable reply is named in the result, and the loop goes on. Any other
`RarrError` is raised: a `TransientError` is worth another try of the whole passage, and what
is wrong with the configuration or the index is no passage's own fault.
"""

from collections.abc import Iterator

from pipeline.rarr.coherence import incoherences
from pipeline.rarr.editing import edit
from pipeline.rarr.gates import Gates
from pipeline.rarr.ports import Steps
from pipeline.rarr.rechecking import rechecked
from pipeline.rarr.report import select
from pipeline.rarr.research import Research, research
from pipeline.rarr.types import (
    Agreement,
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
    found = research(passage, steps=steps, config=config)
    gates = Gates(steps.agreement, passage=passage, asked=found.pairs, at_once=steps.gates_at_once)
    trace = tuple(_trace(passage, found, gates, steps=steps, config=config))
    return reported(passage, found, trace, steps=steps, config=config, reasked_gates=gates.reasked)


def reported(
    passage: Passage,
    found: Research,
    trace: tuple[TraceStep, ...],
    *,
    steps: Steps,
    config: RarrConfig,
    reasked_gates: int = 0,
) -> Revision:
    """The revision that a trace leads to, with the attribution report (section 3.3)."""
    report, errors = Report(), found.errors
    try:
        report = select(
            found.queries,
            found.evidence,
            relevance=steps.relevance,
            size=config.report_size,
            edited_from={
                snippet
                for step in trace
                if step.edit_outcome is EditOutcome.KEPT
                for snippet in step.sources
            },
        )
    except UnreadableReply as error:
        errors = (*errors, StepError.of(error))
    text = trace[-1].text_after if trace else passage.text
    return Revision(
        passage=passage,
        text=text,
        queries=found.queries,
        evidence=found.evidence,
        trace=trace,
        report=report,
        errors=errors,
        coherence=rechecked(
            incoherences(text, trace, splitter=steps.splitter),
            passage=passage,
            text=text,
            trace=trace,
            by=steps.rechecker,
        ),
        reasked_gates=reasked_gates,
    )


def _trace(
    passage: Passage, found: Research, gates: Gates, *, steps: Steps, config: RarrConfig
) -> Iterator[TraceStep]:
    """The turns of the loop: queries in their order, each with its evidence by rank."""
    current, place = passage.text, 0
    for query, snippets in zip(found.queries, found.evidence, strict=True):
        if not snippets:
            yield TraceStep(query=query, text_before=current, text_after=current)
        for snippet in snippets:
            agreement = gates.verdict(place, current)
            step = _turn(passage, current, query, snippet, agreement, steps=steps, config=config)
            yield step
            current, place = step.text_after, place + 1


def _turn(
    passage: Passage,
    current: str,
    query: Query,
    evidence: Evidence,
    agreement: Agreement | StepError,
    *,
    steps: Steps,
    config: RarrConfig,
) -> TraceStep:
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
